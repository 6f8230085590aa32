"""A script of which parts cannot move: what is rewritten and what is left work together."""

from tfpy import legacy as dl
import tfpy as tf

math = dl.NDArrayMathCPU()

def make_model(graph, x, units):
    """Helpers that build parts of a graph."""
    h = x
    for i, n in enumerate(units):
        h = graph.layers.dense("layer%d" % i, h, n, graph.sigmoid if i < len(units) - 1 else None)
    return h

class LossPlotter(object):
    def __init__(self):
        self.values = []
    def onCost(self, cost):
        self.values.append(round(cost.get(), 4))

tf.set_seed(1)
graph = dl.Graph()
x = graph.placeholder('x', [2])
y = graph.placeholder('y', [1])
out = make_model(graph, x, [4, 1])
cost = graph.meanSquaredCost(y, out)
session = dl.Session(graph, math)
xs = [dl.Array1D.new([a, b]) for a in range(2) for b in range(2)]
ys = [dl.Array1D.new([a * b]) for a in range(2) for b in range(2)]
px, py = dl.InCPUMemoryShuffledInputProviderBuilder([xs, ys]).getInputProviders()
plot = LossPlotter()
runner = dl.GraphRunner(math, session, {'avgCostCallback': plot.onCost})
runner.train(cost, [{'tensor': x, 'data': px}, {'tensor': y, 'data': py}], 4, dl.SGDOptimizer(.1), 5, costIntervalMs=-1)
print(plot.values)
m = dl.Array2D.zeros([2, 2])
m.set(5, 0, 0)
def bump(arr):
    arr.add(1, 0, 1)
    return arr
bump(m)
n = math.add(m, m)
print(n.getValues(), m.get(0, 1), n.get(0, 0), math.mean(n).get())
ema = None
for v in [1, 2, 3]:
    s = dl.Scalar.new(v)
    ema = s if ema is None else math.add(math.multiply(ema, dl.Scalar.new(.5)), math.multiply(s, dl.Scalar.new(.5)))
print(ema.get())
grads = math.valueAndGradients(lambda: math.sum(math.square(n)), n)
print(grads.value.get(), grads.gradients.getValues())
with dl.numerics("tfjs"):
    print(math.exp(dl.Scalar.new(0)).get())
if not n.isDisposed:
    n.dispose()
print(isinstance(m, dl.Array2D), type(m).__name__)
