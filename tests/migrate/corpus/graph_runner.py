"""A GraphRunner: its loop has no counterpart."""
from tfpy import legacy as dl

math = dl.NDArrayMathCPU()
g = dl.Graph()
x = g.placeholder("x", [])
w = g.variable("w", dl.Scalar.new(1))
cost = g.square(g.subtract(g.multiply(w, x), g.constant(3)))
session = dl.Session(g, math)
costs = []
runner = dl.GraphRunner(math, session, {"batchesTrainedCallback": lambda n: costs.append(n)})
(provider,) = dl.InCPUMemoryShuffledInputProviderBuilder([[dl.Scalar.new(1), dl.Scalar.new(1)]]).getInputProviders()
runner.train(cost, [{"tensor": x, "data": provider}], 2, dl.SGDOptimizer(0.1), 4)
print(costs, session.eval(w).get())
print(math.add(session.eval(w), dl.Scalar.new(1)).get())
