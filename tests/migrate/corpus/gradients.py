from tfpy import legacy as dl

math = dl.NDArrayMathCPU()
x = dl.Array1D.new([1, -2, 3])
w = dl.Array1D.new([0.5, 0.25, -1])

print(list(math.gradients(lambda: math.sum(math.square(x)), x).getValues()))
both = math.gradients(lambda: math.sum(math.multiply(math.tanh(x), w)), {"x": x, "w": w})
print([round(float(v), 5) for v in both["x"].getValues()])
print([round(float(v), 5) for v in both["w"].getValues()])
found = math.valueAndGradients(lambda: math.sum(math.exp(w)), w)
print(round(found.value.get(), 5))
