"""Several models, each in a function of its own; only one of them cannot move."""

from __future__ import annotations

from tfpy import legacy as dl

XS, YS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], [1.5, 2.5, 4.0]


class InTurn:
    """An input provider: gives its arrays one after the other, again and again."""

    def __init__(self, arrays: list[dl.NDArray]) -> None:
        self._arrays = arrays
        self._given = 0

    def get_next_copy(self, math: dl.NDArrayMath) -> dl.NDArray:
        array = self._arrays[self._given % len(self._arrays)]
        self._given += 1
        return math.clone(array)

    def dispose_copy(self, math: dl.NDArrayMath, copy: dl.NDArray) -> None:
        copy.dispose()


def line(steps: int) -> list[float]:
    graph = dl.Graph()
    x, label = graph.placeholder("x", [3]), graph.placeholder("label", [])
    return []


def plane(steps: int) -> dl.NDArray:
    graph = dl.Graph()
    x = graph.placeholder("x", [3])
    label = graph.placeholder("label", [])
    weights = graph.variable("weights", dl.Array1D.new([0.1, 0.2, 0.3]))
    prediction = graph.reduceSum(graph.multiply(x, weights))
    cost = graph.meanSquaredCost(label, prediction)
    math = dl.NDArrayMathCPU()
    session = dl.Session(graph, math)
    feeds = [
        {"tensor": x, "data": InTurn([dl.Array1D.new(v) for v in XS])},
        {"tensor": label, "data": InTurn([dl.Scalar.new(v) for v in YS])},
    ]
    with math.scope() as scope:
        for _ in range(steps):
            session.train(cost, feeds, len(XS), dl.SGDOptimizer(0.002))
        scope.result = session.eval(weights)
    return scope.result


def shapes() -> None:
    graph = dl.Graph()
    x = graph.placeholder("x", [2, 3])
    flat = graph.reshape(x, [6])
    print(flat.shape)
    math = dl.NDArrayMathCPU()
    print(dl.Session(graph, math).eval(flat, [{"tensor": x, "data": dl.Array2D.ones([2, 3])}]).get(4))


def collect() -> None:
    math = dl.NDArrayMathCPU()
    seen: list[dl.NDArray] = []
    others = []
    for i in range(3):
        seen.append(math.square(dl.Scalar.new(i)))
        others.append(dl.Array1D.new([i, i]))
    print(seen[2].get(), others[1].get(0), [o.get(1) for o in others])


print(line(1), [round(float(w), 5) for w in plane(20).getValues()])
shapes()
collect()
