import builtins

from tfpy.legacy import *

math = NDArrayMathCPU()
a = Array1D.new([1, 2, 3])
b = Array1D.new([0, 1, 2])
total = math.sum(math.add(a, b))
assert total.get() == 9
total = sub(total, Scalar.new(2))  # a function of 0.5
math.log(total)
builtins.print(total.dataSync()[0])
