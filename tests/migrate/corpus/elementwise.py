from tfpy import legacy as dl

math = dl.NDArrayMathCPU()
x = dl.Array1D.new([-1.5, -0.5, 0, 0.25, 2])
positive = dl.Array1D.new([0.5, 1, 2])


def values(array):
    return [round(float(v), 5) for v in array.dataSync()]


print(values(math.relu(x)), values(math.sigmoid(x)), values(math.tanh(x)), values(math.neg(x)), values(math.abs(x)))
print(values(math.sin(x)), values(math.cos(x)), values(math.tan(x)), values(math.atan(x)))
print(values(math.sinh(x)), values(math.cosh(x)), values(math.exp(x)), values(math.square(x)))
print(values(math.log(positive)), values(math.sqrt(positive)), values(math.ceil(x)), values(math.floor(x)))
print(values(math.elu(x)), values(math.selu(x)), values(math.leakyRelu(x, 0.1)), values(math.step(x)))
print(values(math.step(x, 0.3)), values(math.clip(x, -1, 1)), values(math.prelu(x, dl.Array1D.new([0.1] * 5))))
print(values(math.cast(x, "int32")), values(math.clone(x)), values(math.asin(dl.Array1D.new([0.5]))))
