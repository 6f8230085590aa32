"""Training some of the variables, and another learning rate on the way."""
from tfpy import legacy as dl

math = dl.NDArrayMathCPU()
g = dl.Graph()
x = g.placeholder("x", [2])
w = g.variable("w", dl.Array1D.new([1, -2]))
v = g.variable("v", dl.Array1D.new([0.5, 0.5]))
s = g.constant(2)
y = g.multiply(s, g.reduceSum(g.multiply(g.add(w, v), x)))
cost = g.square(g.subtract(y, g.constant(1)))
session = dl.Session(g, math)
optimizer = dl.SGDOptimizer(0.01, [w.node])
[provider] = dl.InCPUMemoryShuffledInputProviderBuilder([[dl.Array1D.new([1, 2])]]).getInputProviders()
for step in range(4):
    if step == 2:
        optimizer.setLearningRate(0.02)
    print(session.train(cost, [{"tensor": x, "data": provider}], 1, optimizer, dl.CostReduction.MEAN).get())
print(list(w.node.data.getValues()), list(session.eval(v).getValues()))
print(session.eval(s).get(), session.eval(y, [{"tensor": x, "data": dl.Array1D.new([1, 1])}]).get())
session.dispose()
