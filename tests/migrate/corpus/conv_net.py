from tfpy import legacy as dl
import tfpy as tf

tf.set_seed(9)
g = dl.Graph()
x = g.placeholder("x", [6, 6, 1])
y = g.placeholder("y", [2])
w1 = g.variable("w1", dl.Array4D.randNormal([3, 3, 1, 4], 0, 0.3))
b1 = g.variable("b1", dl.Array1D.zeros([4]))
conv = g.relu(g.conv2d(x, w1, b1, 3, 4))
pooled = g.maxPool(conv, 2, 2, 0)
flat = g.reshape(pooled, [36])
logits = g.layers.dense("fc", flat, 2, None, True, dl.RandomUniformInitializer(-0.2, 0.2))
cost = g.softmaxCrossEntropyCost(logits, y)

images = [dl.Array3D.randUniform([6, 6, 1], 0, 1) for _ in range(4)]
labels = [dl.Array1D.new([1, 0]), dl.Array1D.new([0, 1]), dl.Array1D.new([1, 0]), dl.Array1D.new([0, 1])]
[xp, yp] = dl.InCPUMemoryShuffledInputProviderBuilder([images, labels]).getInputProviders()
math = dl.NDArrayMathCPU()
session = dl.Session(g, math)
sgd = dl.SGDOptimizer(0.5)
for _ in range(5):
    cost_value = session.train(cost, [{"tensor": x, "data": xp}, {"tensor": y, "data": yp}], 2, sgd, dl.CostReduction.SUM)
    print(round(cost_value.get(), 4))
result = session.evalAll([conv, logits], [{"tensor": x, "data": images[0]}])
print(result[0].shape, [round(float(v), 4) for v in result[1].getValues()])
