"""Providers whose math has a name of its own, or that take none."""
from tfpy import legacy as dl

math = dl.NDArrayMathCPU()


class Counting:
    def __init__(self):
        self.i = 0

    def get_next_copy(self, m):
        self.i += 1
        return m.add(dl.Array1D.new([self.i, 2]), dl.Scalar.new(0))

    def dispose_copy(self, m, copy):
        copy.dispose()


class Constant:
    def getNextCopy(self, _):
        return dl.Scalar.new(3)  # always

    def disposeCopy(self, copy):
        copy.dispose()


g = dl.Graph()
x, y = g.placeholder("x", [2]), g.placeholder("y", [])
w = g.variable("w", dl.Array1D.new([1, 2]))
cost = g.reduceSum(g.square(g.subtract(g.add(x, w), y)))
counting = Counting()
feeds = [{"tensor": x, "data": counting}, {"tensor": y, "data": Constant()}]
session = dl.Session(g, math)
print(session.train(cost, feeds, 2, dl.SGDOptimizer(0.01), dl.CostReduction.MEAN).get())
print(session.eval(w).getValues(), counting.get_next_copy(math).getValues())
