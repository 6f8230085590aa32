from tfpy import legacy as dl

math = dl.NDArrayMathCPU()
a = dl.Array2D.new([2, 2], [1, 2, 3, 4])
b = dl.Array2D.new([2, 2], [5, 6, 7, 8])
row = dl.Array1D.new([10, 20])
c = dl.Scalar.new(2)


def show(x):
    print([round(float(n), 5) for n in x.getValues()])


show(math.add(a, row))
show(math.addStrict(a, b))
show(math.subtract(a, c))
show(math.subStrict(a, b))
show(math.multiply(a, row))
show(math.multiplyStrict(a, b))
show(math.divide(a, c))
show(math.divideStrict(a, b))
show(math.scalarPlusArray(c, a))
show(math.scalarMinusArray(c, a))
show(math.arrayMinusScalar(a, c))
show(math.scalarTimesArray(c, a))
show(math.scalarDividedByArray(c, a))
show(math.arrayDividedByScalar(a, c))
show(math.scaledArrayAdd(dl.Scalar.new(0.5), a, dl.Scalar.TWO, b))
show(math.elementWiseMulBroadcast(a, dl.Array2D.new([1, 2], [1, -1])))
show(math.pow(a, dl.Scalar.new(3, "int32")))
show(math.minimum(a, c))
show(math.maximum(a, c))
