"""A math that belongs to a class, and is used by those that inherit from it."""

from tfpy import legacy as dl


class Shared:
    math = dl.NDArrayMathCPU()
    two = dl.Scalar.new(2)


class Norms:
    """Is to be mixed with a class that has the math."""

    def norm(self, x):
        return self.math.sqrt(self.math.sum(self.math.square(x)))


class Doubling(Shared):
    def apply(self, x):
        return self.math.multiply(x, self.two)

    @classmethod
    def negative(cls, x):
        return cls.math.neg(x)


class Chain(Norms, Shared):
    def __init__(self, *parts):
        self.parts = parts

    def apply(self, x):
        for part in self.parts:
            x = part.apply(x)
        return Shared.math.add(x, self.two)


x = dl.Array1D.new([3, 4])
chain = Chain(Doubling(), Doubling())
print(chain.apply(x).get(1), chain.norm(x).get(), Doubling.negative(x).get(0))
print(chain.math.exp(dl.Scalar.new(0)).get(), x.as2D(2, 1).strides)
