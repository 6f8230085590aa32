"""A data set of one's own: it has no counterpart."""
from tfpy import legacy as dl


class Points(dl.InMemoryDataset):
    def __init__(self):
        super().__init__([[2]])

    def fetchData(self):
        self.dataset = [[dl.Array1D.new([0, 10]), dl.Array1D.new([4, 20]), dl.Array1D.new([2, 20])]]


points = Points()
points.fetchData()
points.normalizeWithinBounds(0, -1, 1)
math = dl.NDArrayMathCPU()
for point in points.getData()[0]:
    print(math.sum(point).get())
