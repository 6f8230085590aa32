"""Arrays that are written to: they have no counterpart."""

from tfpy import legacy as dl

math = dl.NDArrayMathCPU()
board = dl.Array2D.zeros([3, 3])
for i in range(3):
    board.set(i + 1, i, i)
board.add(10, 0, 2)
print(list(board.getValues()), board.get(0, 2))
ones = dl.Array1D.zeros([2])
ones.fill(1)
values = ones.getValues()
values[1] = 5
print(list(ones.getValues()))
row = math.add(ones, dl.Array1D.new([1, 2]))
print(list(row.getValues()), math.sum(board).get())
