from tfpy import legacy as dl

math = dl.NDArrayMathCPU()
kernel = dl.Array2D.new([3, 8], [((k % 7) - 3) / 10 for k in range(24)])
bias = dl.Array1D.new([k / 10 for k in range(8)])
forget_bias = dl.Scalar.new(1)


def cell(data, c, h):
    return math.basicLSTMCell(forget_bias, kernel, bias, data, c, h)


data = dl.Array2D.new([1, 1], [0.5])
c = dl.Array2D.new([1, 2], [0.1, 0.2])
h = dl.Array2D.new([1, 2], [0.3, 0.4])
new_c, new_h = cell(data, c, h)
print([round(float(v), 6) for v in new_c.getValues()], [round(float(v), 6) for v in new_h.getValues()])
states = math.multiRNNCell([cell], data, [c], [h])
print(round(states[0][0].get(0, 0), 6), round(states[1][0].get(0, 1), 6))
