"""Arrays in dicts, in fields and behind properties."""

from dataclasses import dataclass

from tfpy import legacy as dl

params = {"w": dl.Array1D.new([1, 2, 3]), "b": dl.Scalar.new(0.5), "name": "first"}
history = {"loss": [], "step": 0}
cache = {}


@dataclass
class Layer:
    weights: dl.Array2D
    bias: dl.Array1D
    name: str = "layer"

    def apply(self, math, x):
        return math.relu(math.add(math.matrixTimesVector(self.weights, x), self.bias))


class Net:
    def __init__(self, math, sizes):
        self.math = math
        self.layers = []
        for i, (n, m) in enumerate(zip(sizes, sizes[1:])):
            values = [[(r + c + i) % 3 - 0.5 for c in range(n)] for r in range(m)]
            self.layers.append(Layer(dl.Array2D.new([m, n], values), dl.Array1D.zeros([m]), f"l{i}"))

    def __call__(self, x):
        for layer in self.layers:
            x = layer.apply(self.math, x)
        return x

    @property
    def first(self):
        return self.math.sum(self.layers[0].weights)


def make(math=None):
    math = math or dl.NDArrayMathCPU()
    return math.add(params["b"], dl.Scalar.new(2))


def squared(math, i):
    if i not in cache:
        cache[i] = math.square(dl.Scalar.new(i))  # only once
    return cache[i]


math = dl.NDArrayMathCPU()
print(params["w"].get(1), params.get("b").get(), len(params.get("none", "")))
for key, value in {"x": params["w"], "y": math.neg(params["w"])}.items():
    print(key, value.get(2), value.getValues())
print(make().get(), make(math).get())
net = Net(math, [2, 3, 2])
out = net(dl.Array1D.new([1, 2]))
print(out.get(1), net.first.get(), net.layers[0].weights.get(1, 0), net.layers[1].bias.get(0))
for i in range(3):
    history["loss"].append(math.sum(dl.Array1D.new([i, 1])))
    history["step"] += 1
print([h.get() for h in history["loss"]], history["step"], squared(math, 3).get(), squared(math, 3).get())
means = {name: math.mean(value) for name, value in {"a": params["w"], "b": out}.items()}
best = max(means, key=lambda name: means[name].get())
print(means[best].get(), [m.get() for m in means.values()])
x, y = dl.Array1D.new([1, 2]), dl.Array1D.new([3, 4])
gradients = math.gradients(lambda: math.sum(math.multiply(x, y)), {"x": x, "y": y})
print(gradients["x"].get(0), gradients["y"].get(1))
