"""XOR with dense layers."""
import tfpy as tf
from tfpy import legacy as dl

tf.set_seed(3)
g = dl.Graph()
x = g.placeholder("x", [2])
label = g.placeholder("label", [1])
# two layers
hidden = g.layers.dense("hidden", x, 8, g.tanh, True, dl.RandomNormalInitializer(0, 0.8))
out = g.layers.dense("out", hidden, 1)
cost = g.mean_squared_cost(label, out)

points = [dl.Array1D.new([p, q]) for p in (0, 1) for q in (0, 1)]
answers = [dl.Array1D.new([float(p != q)]) for p in (0, 1) for q in (0, 1)]
providers = dl.InCPUMemoryShuffledInputProviderBuilder([points, answers]).get_input_providers()
feeds = [dl.FeedEntry(x, providers[0]), dl.FeedEntry(label, providers[1])]
session = dl.Session(g, dl.NDArrayMathCPU())
optimizer = dl.AdamOptimizer(0.05)
for i in range(60):
    value = session.train(cost, feeds, 4, optimizer, dl.CostReduction.MEAN)
    if i % 20 == 0:
        print(i, value.get())
for point in points:
    print(session.eval(out, [dl.FeedEntry(x, point)]).get(0))
