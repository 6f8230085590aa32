"""A class that keeps its graph and session, as the demos did."""

import tfpy as tf
from tfpy import legacy as dl


class Trainer:
    def __init__(self, units: int, rate: float):
        self.math = dl.NDArrayMathCPU()
        self.graph = dl.Graph()
        # what goes in, and what should come out
        self.x = self.graph.placeholder("x", [2])
        self.label = self.graph.placeholder("label", [1])
        self.hidden = self.graph.layers.dense("hidden", self.x, units, self.graph.relu)
        weights = self.graph.variable("weights", dl.Array2D.randNormal([units, 1]))
        self.scale = self.graph.variable("scale", dl.Scalar.new(1))
        self.y = self.graph.multiply(self.scale, self.graph.matmul(self.hidden, weights))
        self.cost = self.graph.meanSquaredCost(self.label, self.y)
        self.session = dl.Session(self.graph, self.math)
        self.optimizer = dl.MomentumOptimizer(rate, 0.5)

    def set_data(self, xs, ys):
        examples = [[dl.Array1D.new(x) for x in xs], [dl.Array1D.new([y]) for y in ys]]
        self.x_provider, self.y_provider = dl.InCPUMemoryShuffledInputProviderBuilder(examples).getInputProviders()
        self.feeds = [{"tensor": self.x, "data": self.x_provider}, {"tensor": self.label, "data": self.y_provider}]

    def train(self, batch_size):
        def step(keep, track):
            return self.session.train(self.cost, self.feeds, batch_size, self.optimizer, dl.CostReduction.MEAN).get()

        return self.math.scope(step)

    def predict(self, values):
        return self.session.eval(self.y, [{"tensor": self.x, "data": dl.Array1D.new(values)}]).get(0)


tf.set_seed(2)
trainer = Trainer(6, 0.02)
trainer.set_data([[0, 1], [1, 0], [1, 1], [2, 1]], [1, 2, 3, 5])
print([round(trainer.train(4), 5) for _ in range(5)])
print(round(trainer.predict([1, 2]), 4))
