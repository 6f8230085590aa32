"""Two graphs with the same names, one after the other."""
from tfpy import legacy as dl

math = dl.NDArrayMathCPU()

graph = dl.Graph()
x = graph.placeholder("x", [2])
y = graph.reduceSum(graph.square(x))
session = dl.Session(graph, math)
print(session.eval(y, [{"tensor": x, "data": dl.Array1D.new([1, 2])}]).get())

graph = dl.Graph()
x = graph.placeholder("x", [3])
y = graph.exp(graph.concat1d(x, graph.constant([1, 2])))
session = dl.Session(graph, math)
print([round(float(v), 4) for v in session.eval(y, [{"tensor": x, "data": dl.Array1D.new([0, 1, 2])}]).getValues()])
