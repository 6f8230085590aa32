"""Learns the complementary color of a color, after the demo of deeplearn.js."""

import math as maths
import random

import tfpy as tf
from tfpy.legacy import (
    Array1D,
    CostReduction,
    FeedEntry,
    Graph,
    InCPUMemoryShuffledInputProviderBuilder,
    NDArrayMath,
    NDArrayMathCPU,
    Session,
    SGDOptimizer,
)


class ComplementaryColorModel:
    """Runs training and inference."""

    initial_learning_rate = 0.06

    def __init__(self, math: NDArrayMath):
        self.math = math
        self.learning_rate = self.initial_learning_rate
        self.optimizer = SGDOptimizer(self.learning_rate)
        self.batch_size = 5
        self.step = 0

    def setup_session(self):
        """Constructs the graph of the model. Call this before training."""
        graph = Graph()

        # The placeholder for the color that is given.
        self.input_tensor = graph.placeholder("input RGB value", [3])
        # The one for its complement.
        self.target_tensor = graph.placeholder("output RGB value", [3])

        # Three fully connected layers that get smaller.
        layer = graph.layers.dense("fully_connected_0", self.input_tensor, 16, lambda x: graph.relu(x))
        layer1 = graph.layers.dense("fully_connected_1", layer, 8, lambda x: graph.relu(x), True)
        self.prediction_tensor = graph.layers.dense("fully_connected_2", layer1, 3)

        self.cost_tensor = graph.meanSquaredCost(self.target_tensor, self.prediction_tensor)

        self.session = Session(graph, self.math)
        self.generate_training_data(20)

    def train_1_batch(self, should_fetch_cost):
        # Every 5 steps the learning rate falls.
        learning_rate = self.initial_learning_rate * 0.85 ** maths.floor(self.step / 5)
        self.optimizer.setLearningRate(learning_rate)
        self.step += 1

        def run():
            cost = self.session.train(
                self.cost_tensor, self.feed_entries, self.batch_size, self.optimizer,
                CostReduction.MEAN)
            if not should_fetch_cost:
                # We only train.
                return -1
            return cost.get()

        return self.math.scope(run)

    def predict(self, rgb_color):
        def run(keep, track):
            mapping = [FeedEntry(self.input_tensor, Array1D.new(self.normalize_color(rgb_color)))]
            eval_output = self.session.eval(self.prediction_tensor, mapping)
            values = eval_output.getValues()
            return self.denormalize_color(list(values))

        return self.math.scope(run)

    def generate_training_data(self, count):
        raw_inputs = [[random.randrange(256) for _ in range(3)] for _ in range(count)]
        # Store the data within Array1Ds so that training can use them.
        input_array = [Array1D.new(self.normalize_color(c)) for c in raw_inputs]
        target_array = [Array1D.new(self.normalize_color(self.compute_complementary_color(c))) for c in raw_inputs]

        builder = InCPUMemoryShuffledInputProviderBuilder([input_array, target_array])
        [input_provider, target_provider] = builder.getInputProviders()

        # Maps tensors to providers.
        self.feed_entries = [
            FeedEntry(self.input_tensor, input_provider),
            FeedEntry(self.target_tensor, target_provider),
        ]

    def normalize_color(self, rgb_color):
        return [v / 255 for v in rgb_color]

    def denormalize_color(self, values):
        return [round(float(v) * 255, 3) for v in values]

    def compute_complementary_color(self, rgb_color):
        return [255 - v for v in rgb_color]


random.seed(1)
tf.set_seed(1)
model = ComplementaryColorModel(NDArrayMathCPU())
model.setup_session()
for i in range(12):
    cost_value = model.train_1_batch(i % 4 == 0)
    if cost_value > 0:
        print(i, round(cost_value, 5))
print(model.predict([255, 0, 10]))
