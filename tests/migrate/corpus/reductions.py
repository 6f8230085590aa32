from tfpy import legacy as dl

math = dl.NDArrayMathCPU()
m = dl.Array2D.new([2, 3], [3, 1, 2, 6, 5, 4])

print(math.sum(m).get(), math.mean(m).get(), math.max(m).get(), math.min(m).get())
print(list(math.sum(m, 0).getValues()), list(math.max(m, 1, keepDims=True).getValues()))
print(math.argMax(m).get(), math.argMin(m).get(), list(math.argMax(m, 1).getValues()))
print(round(math.logSumExp(m).get(), 5), round(math.norm(m).get(), 5))
moments = math.moments(m, 0)
print(list(moments.mean.getValues()), list(moments.variance.getValues()))
top = math.topK(m, 3)
print(list(top.values.getValues()), list(top.indices.getValues()))
values, indices = math.topK(m, 2)
print(values.get(0), indices.get(1))
print([round(float(p), 5) for p in math.softmax(dl.Array1D.new([1, 2, 3])).getValues()])
print(math.argMaxEquals(m, m).get())
