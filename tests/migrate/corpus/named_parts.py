from tfpy import legacy as dl

# the parts of the library
ENV = dl.ENV
Vector = dl.Array1D
Scalar = dl.Scalar
Graph = dl.Graph

math = ENV.math
x = Vector.new([1, 2, 3])
print(math.scope(lambda keep, track: math.multiply(x, Scalar.new(2))).get_values())


def spread(math, values):
    return math.sub(values, math.mean(values))


print(spread(ENV.math, x).data_sync())
print(ENV.math.sum(x).get())
g = Graph()
a = g.placeholder("a", [])
y = g.square(a)
session = dl.Session(g, math)
print(session.eval(y, [dl.FeedEntry(a, Scalar.new(3))]).get())
