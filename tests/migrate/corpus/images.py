import numpy as np

from tfpy import legacy as dl

math = dl.NDArrayMathCPU()
x = dl.Array3D.new([3, 3, 1], [1, 2, 3, 4, 5, 6, 7, 8, 9])
f = dl.Array4D.new([2, 2, 1, 1], [1, 2, 3, 4])
bias = dl.Array1D.new([0.5])


def flat(a):
    return [round(float(v), 4) for v in a.getValues()]


# with and without a bias
print(flat(math.conv2d(x, f, bias, 1, 0)))
print(flat(math.conv2d(x, f, None, 1, "same")))
print(flat(math.conv2d(x, f, bias, [1, 1], 1)))
print(flat(math.conv2dTranspose(dl.Array3D.new([2, 2, 1], [1, 2, 3, 4]), f, [3, 3, 1], 1, 0)))
print(flat(math.depthwiseConv2D(x, f, 1, "valid")))
print(flat(math.maxPool(x, 2, 1, 0)), flat(math.minPool(x, 2, 1, 0)), flat(math.avgPool(x, 2, 1, 0)))
print(flat(math.resizeBilinear3D(x, [2, 2])), flat(math.resizeBilinear3D(x, [2, 2], True)))
print(flat(math.conv1d(dl.Array2D.new([4, 1], [1, 2, 3, 4]), dl.Array3D.new([2, 1, 1], [1, -1]), None, 1, "valid")))
pixels = dl.NDArray.fromPixels(np.array([[[1, 2, 3], [4, 5, 6]]], np.uint8), 3)
print(pixels.shape, flat(pixels))
