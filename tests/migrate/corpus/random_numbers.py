"""Random arrays, from a seed."""

import tfpy as tf
from tfpy import legacy as dl

tf.set_seed(11)
math = dl.NDArrayMathCPU()
for a in (
    dl.Array1D.randNormal([3], 1, 2),
    dl.Array1D.randTruncatedNormal([3]),
    dl.Array1D.randUniform([3], -1, 1),
    dl.NDArray.rand([2], lambda: 0.5),
    dl.Array2D.randNormal([1, 2], 0, 1, "float32", 4),
):
    print([round(float(v), 6) for v in a.getValues()])
drawn = math.multinomial(dl.Array1D.new([0.2, 0.3, 0.5]), 10, 42)
print([int(v) for v in drawn.getValues()])
print([int(i) for i in dl.util.createShuffledIndices(5)], dl.util.sizeFromShape([2, 3]))
