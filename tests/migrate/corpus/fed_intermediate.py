"""Feeding what is computed: it has no counterpart."""
from tfpy import legacy as dl

g = dl.Graph()
x = g.placeholder("x", [])
squared = g.square(x)
y = g.add(squared, g.constant(1))
session = dl.Session(g, dl.NDArrayMathCPU())
print(session.eval(y, [{"tensor": x, "data": dl.Scalar.new(3)}]).get())
print(session.eval(y, [{"tensor": squared, "data": dl.Scalar.new(5)}]).get())
