"""Slices, concatenations, reversals, margins."""

from tfpy import legacy as dl

math = dl.NDArrayMathCPU()
v = dl.Array1D.new([1, 2, 3, 4])
m = dl.Array2D.new([2, 2], [1, 2, 3, 4])
t = dl.Array3D.new([1, 2, 2], [1, 2, 3, 4])

for part in (
    math.slice1D(v, 1, 2),
    math.slice2D(m, [0, 1], [2, 1]),
    math.slice3D(t, [0, 1, 0], [1, 1, 2]),
    math.concat1D(v, v),
    math.concat2D(m, m, 1),
    math.concat3D(t, t, axis=0),
    math.reverse1D(v),
    math.reverse2D(m, [0, 1]),
    math.pad1D(v, [1, 2]),
    math.pad2D(m, [[1, 0], [0, 1]], 9),
    math.tile(v, [2]),
    math.gather(v, dl.Array1D.new([3, 0], "int32")),
    math.oneHot(dl.Array1D.new([1, 0, 2]), 3),
    math.oneHot(dl.Array1D.new([1, 0]), 2, 5, -5),
    math.reshape(m, [4]),
):
    print(part.shape, [float(x) for x in part.getValues()])
