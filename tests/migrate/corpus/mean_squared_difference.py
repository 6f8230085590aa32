from tfpy import legacy as dl

math = dl.NDArrayMathGPU()


def compute(keep, track):
    a = track(dl.Array2D.new([2, 2], [1.0, 2.0, 3.0, 4.0]))
    b = track(dl.Array2D.new([2, 2], [0.0, 2.0, 4.0, 6.0]))

    # Non-blocking math calls.
    diff = math.sub(a, b)
    squared_diff = math.elementWiseMul(diff, diff)
    total = math.sum(squared_diff)
    size = dl.Scalar.new(a.size)
    average = math.divide(total, size)

    # Blocking call to actually read the values.
    print(average.get())


math.scope(compute)
