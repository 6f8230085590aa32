from tfpy import legacy as dl

math = dl.NDArrayMathCPU()
x = dl.Array3D.new([1, 2, 2], [1, 2, 3, 4])
mean = dl.Array1D.new([1, 2])
variance = dl.Array1D.new([1, 4])
scale = dl.Array1D.new([2, 3])
offset = dl.Array1D.new([-1, 1])

for y in [
    math.batchNormalization3D(x, mean, variance),
    math.batchNormalization3D(x, mean, variance, 0.001, scale, offset),
    math.batchNormalization3D(x, mean, variance, scale=scale),
    math.batchNormalization2D(dl.Array2D.new([2, 2], [1, 2, 3, 4]), mean, variance, 0.1),
    math.localResponseNormalization3D(x, 1),
]:
    print([round(float(v), 5) for v in y.getValues()])
labels = dl.Array2D.new([2, 2], [0, 1, 1, 0])
logits = dl.Array2D.new([2, 2], [1, 3, 0.5, -0.5])
print([round(float(v), 5) for v in math.softmaxCrossEntropyWithLogits(labels, logits).getValues()])
