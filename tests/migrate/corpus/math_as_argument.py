"""Functions that take the math, as most demos do."""

from tfpy import legacy as dl


def layer(math: dl.NDArrayMath, x: dl.Array1D, w: dl.Array2D, b: dl.Array1D) -> dl.Array1D:
    # weights, then bias
    return math.relu(math.add(math.vectorTimesMatrix(x, w), b))


def normalize(x: dl.NDArray, math, eps=1e-3):
    mean = math.mean(x)
    return math.divide(math.subtract(x, mean), math.add(math.norm(x), dl.Scalar.new(eps)))


def main():
    math = dl.NDArrayMath("cpu", False)
    x = dl.Array1D.new([1, -2, 3])
    w = dl.Array2D.new([3, 2], [0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    b = dl.Array1D.new([0.01, -10])
    out = math.scope(lambda keep: layer(math, x, w, b))
    print([round(float(v), 5) for v in out.getValues()])
    print([round(float(v), 5) for v in normalize(x, math).getValues()])
    print([round(float(v), 5) for v in normalize(x, math=math, eps=0.5).getValues()])


if __name__ == "__main__":
    main()
