"""The quadratic of the beginners' guide, with an async scope."""

import asyncio

from tfpy import legacy as dl

graph = dl.Graph()
# Make a new input in the graph, called 'x', with shape [] (a Scalar).
x = graph.placeholder("x", [])
a = graph.variable("a", dl.Scalar.new(0.1))
b = graph.variable("b", dl.Scalar.new(0.2))
c = graph.variable("c", dl.Scalar.new(0.3))
order2 = graph.multiply(a, graph.square(x))
order1 = graph.multiply(b, x)
y = graph.add(graph.add(order2, order1), c)
y_label = graph.placeholder("y label", [])
cost = graph.meanSquaredCost(y, y_label)

math = dl.NDArrayMathGPU()
session = dl.Session(graph, math)


async def learn(keep, track):
    result = session.eval(y, [{"tensor": x, "data": track(dl.Scalar.new(4))}])
    print("result", (await result.data())[0])
    xs = [dl.Scalar.new(0), dl.Scalar.new(1), dl.Scalar.new(2), dl.Scalar.new(3)]
    ys = [dl.Scalar.new(1.1), dl.Scalar.new(5.9), dl.Scalar.new(16.8), dl.Scalar.new(33.9)]
    x_provider, y_provider = dl.InCPUMemoryShuffledInputProviderBuilder([xs, ys]).getInputProviders()
    optimizer = dl.SGDOptimizer(0.01)
    for _ in range(20):
        cost_value = session.train(
            cost,
            [{"tensor": x, "data": x_provider}, {"tensor": y_label, "data": y_provider}],
            len(xs), optimizer, dl.CostReduction.MEAN)
        print("average cost", await cost_value.val())
    result = session.eval(y, [{"tensor": x, "data": track(dl.Scalar.new(4))}])
    print("result", (await result.getValuesAsync())[0])


async def main():
    await math.scope(learn)


asyncio.run(main())
