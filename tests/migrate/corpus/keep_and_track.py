from tfpy import legacy as dl

math = dl.NDArrayMathCPU()
output = None


def outer(keep, track):
    global output
    a = track(dl.Scalar.new(2))
    c = math.neg(math.exp(a))
    # d is tracked by the parent scope.
    d = math.scope(lambda keep, track: math.elementWiseMul(c, track(dl.Scalar.new(3))))
    print(d.get())
    output = keep(math.tanh(math.divide(d, dl.Scalar.new(20))))
    return math.add(c, d)


result = math.scope(outer)
print(result.get(), output.get())
output.dispose()
