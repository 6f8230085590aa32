"""deeplearn.js's own numbers: the file stays."""
from tfpy import legacy as dl

math = dl.NDArrayMathCPU()
with dl.numerics("deeplearn.js"):
    print([float(v) for v in math.softmax(dl.Array1D.new([1000, 1001])).getValues()])
