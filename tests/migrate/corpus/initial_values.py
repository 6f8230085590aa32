"""Initializers called by hand, and those of layers."""
import tfpy as tf
from tfpy import legacy as dl

tf.set_seed(21)
print([round(float(v), 5) for v in dl.ConstantInitializer(2.5).initialize([2], 2, 2).getValues()])
print([round(float(v), 5) for v in dl.RandomTruncatedNormalInitializer(0, 0.1).initialize([3], 3, 3).getValues()])
print([round(float(v), 5) for v in dl.VarianceScalingInitializer(2, "fan_avg").initialize([2, 3], 2, 3).getValues()])

g = dl.Graph()
x = g.placeholder("x", [3])
one = g.layers.dense("one", x, 4, g.relu, use_bias=False)
two = g.layers.dense("two", one, 2, g.sigmoid, True, dl.VarianceScalingInitializer(1, "fan_out", "uniform"), dl.OnesInitializer())
session = dl.Session(g, dl.NDArrayMathCPU())
out = session.eval(two, [{"tensor": x, "data": dl.Array1D.new([1, 2, 3])}])
print([round(float(v), 5) for v in out.getValues()])
