"""Scopes opened and closed by hand, and scopes as blocks."""
from tfpy import legacy as dl

math = dl.NDArrayMathCPU(True)
math.startScope()
a = dl.Array1D.new([1, 2, 3])
b = math.square(a)
math.startScope()
c = math.endScope(math.add(a, b)) or math.add(a, b)
print(list(c.getValues()))
math.endScope(None)

with math.scope():
    print(math.sum(dl.Array1D.new([4, 5])).get())
