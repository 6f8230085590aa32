"""Names of Python that come after all names of the old API, and hide some of them."""

from tfpy.legacy import *
from builtins import abs, print, range, sum
from math import floor, pi

m = NDArrayMathCPU()


def area(radius):
    return floor(pi * radius * radius)


x = Array1D.new([float(abs(i - 2)) for i in range(4)])
print(area(2), sum([1, 2]), m.sum(x).get(), m.sqrt(Scalar.new(floor(4.5))).get())
