"""The functions of deeplearn.js 0.5, and variables without a graph."""
from tfpy import legacy as dl

xs = dl.tensor1d([0, 1, 2, 3])
ys = dl.tensor1d([1.1, 5.9, 16.8, 33.9])
a = dl.variable(dl.scalar(0.5))
b = dl.variable(dl.scalar(0.5))
optimizer = dl.SGDOptimizer(0.02)


def loss():
    predicted = dl.add(dl.mul(a, dl.square(xs)), b)
    return dl.losses.meanSquaredError(ys, predicted)


for _ in range(5):
    optimizer.minimize(loss)
    print(round(float(loss().dataSync()[0]), 4))
print(dl.util.sizeFromShape([2, 3]), float(dl.tidy(lambda: dl.sum(dl.oneHot(dl.tensor1d([0, 1], "int32"), 2))).dataSync()[0]))
table = dl.tensor2d([[1, 9], [7, 0]])
print(dl.argMax(table).dataSync()[0], dl.argMin(table, 1).dataSync(), dl.mulStrict(table, table).dataSync())
print(dl.batchNormalization2d(table, dl.tensor1d([1, 2]), dl.tensor1d([4, 9])).shape, dl.where(dl.greater(table, 1), table, 0).dataSync())
