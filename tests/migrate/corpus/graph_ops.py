"""Every op of graphs."""
from tfpy import legacy as dl

g = dl.Graph()
x = g.placeholder("x", [3])
c = g.constant([1, 2, 3])
two = g.constant(2)
m = g.constant([[1, 2, 3], [4, 5, 6]])
session = dl.Session(g, dl.NDArrayMathCPU())
feeds = [{"tensor": x, "data": dl.Array1D.new([-1, 0.5, 2])}]


def show(array):
    print(array.shape, [round(float(v), 4) for v in array.getValues()])


relu = g.relu(x)
leaky = g.leakyRelu(x, 0.1)
elu = g.elu(x)
tanh = g.tanh(x)
sigmoid = g.sigmoid(x)
square = g.square(x)
log = g.log(g.square(x))
sub = g.subtract(x, c)
div = g.divide(x, two)
mul = g.multiply(two, x)
linear = g.fusedLinearCombination(x, c, two, g.constant(0.5))
prelu = g.prelu(x, c)
product = g.matmul(m, x)
other = g.matmul(product, m)
joined = g.concat1d(x, c)
shaped = g.reshape(x, [3, 1])
softmax = g.softmax(x)
for value in session.evalAll(
    [relu, leaky, elu, tanh, sigmoid, square, log, sub, div, mul, linear, prelu, product, other, joined, shaped, softmax],
    feeds,
):
    show(value)
best = g.argmax(x)
print(session.eval(best, feeds).get())
