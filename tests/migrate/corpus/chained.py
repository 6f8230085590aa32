"""Methods of arrays, as deeplearn.js 0.5 has them."""
from tfpy import legacy as dl
from tfpy.legacy import Array1D, Scalar

predicted = Array1D.new([1, 2, 3])
label = Array1D.new([1.5, 2, 2])
print(predicted.sub(label).square().mean().get())
total = predicted.add(label).add(Scalar.new(1))
print(total.getValues(), total.argMax().get(), total.toInt().get(1))
table = dl.Array2D.new([2, 2], [1, 9, 7, 0])
print(table.argMin().get(), table.argMax(1).getValues(), table.mulStrict(table).getValues(), table.concat(table, 1).shape)
scaled = table.batchNormalization(Array1D.new([1, 2]), Array1D.new([4, 9]), 0.01)
print(scaled.get(0, 1), scaled.reshapeAs(predicted.pad([[0, 1]])).getValues())
w = predicted.variable()  # starts as the array
dl.train.sgd(0.1).minimize(lambda: w.sub(label).square().sum())
print(w.dataSync())
