"""A model as a class, which holds its math."""

from tfpy import legacy as dl


class Perceptron:
    def __init__(self, math, weights):
        self.math = math
        self.weights = weights
        self.bias = dl.Scalar.new(-1)

    def predict(self, x):
        def run(keep, track):
            total = self.math.dotProduct(self.weights, x)
            return self.math.step(self.math.add(total, self.bias))

        return self.math.scope(run)

    def forget(self):
        self.weights.dispose()


model = Perceptron(dl.NDArrayMathCPU(), dl.Array1D.new([1, 1]))
for p, q in ((0, 0), (0, 1), (1, 1)):
    print(p, q, model.predict(dl.Array1D.new([p, q])).get())
model.forget()
