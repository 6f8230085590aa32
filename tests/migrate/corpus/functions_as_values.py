"""Methods of the math, and functions that take the math, that are given to functions and kept in lists and dicts."""

from functools import partial, reduce

from tfpy import legacy as dl

math = dl.NDArrayMathCPU()
ACTIVATIONS = {"relu": math.relu, "tanh": math.tanh, "double": lambda x: math.add(x, x)}


class Dense:
    activation = math.sigmoid  # of all layers that have none of their own

    def __init__(self, weights, activation=None):
        self.weights = weights
        if activation is not None:
            self.activation = activation

    def forward(self, x):
        return self.activation(math.vectorTimesMatrix(x, self.weights))


def repeated(x, times, function=math.exp):
    for _ in range(times):
        x = function(x)
    return x


def lowered(math, x, by):
    return math.subtract(x, dl.Scalar.new(by))


def raised(math, x, by):
    return math.add(x, dl.Scalar.new(by))


def fed(xs, state, *, cell):
    for x in xs:
        state = cell(x, state)
    return state


def choose(name):
    if name in ACTIVATIONS:
        return ACTIVATIONS[name]
    return {"square": math.square}[name]


x = dl.Array1D.new([1, -2])
w = dl.Array2D.new([2, 2], [0.5, -1, 1.5, 2])
print([round(Dense(w, f).forward(x).get(1), 4) for f in (math.relu, None, math.elu)])
print(round(repeated(x, 1).get(0), 4), round(repeated(x, 2, math.tanh).get(1), 4))
print([function(math, x, 3).get(0) for function in (lowered, raised)])
print(fed([x, x], dl.Array1D.zeros([2]), cell=math.add).get(1), reduce(math.multiply, [x, x, x]).get(1))
print([choose(name)(x).get(0) for name in ("relu", "square", "double")])
print(list(map(x.get, range(2))), partial(math.add, x)(x).get(0), (math.abs if x.get(1) < 0 else math.neg)(x).get(1))
