"""A provider of one's own."""
from tfpy import legacy as dl


class Counting:
    """Gives 1, 2, 3, …"""

    def __init__(self):
        self.n = 0

    def getNextCopy(self, math):
        self.n += 1
        return dl.Scalar.new(self.n)

    def disposeCopy(self, math, copy):
        copy.dispose()


g = dl.Graph()
x = g.placeholder("x", [])
w = g.variable("w", dl.Scalar.new(0))
cost = g.square(g.subtract(g.multiply(w, x), g.multiply(x, x)))
counting = Counting()
session = dl.Session(g, dl.NDArrayMathCPU())
optimizer = dl.SGDOptimizer(0.01)
for i in range(3):
    print(session.train(cost, [{"tensor": x, "data": counting}], 2, optimizer, dl.CostReduction.MEAN).get())
print(session.eval(w).get(), counting.n)
