"""The linear model of the introduction."""

import tfpy as tf
from tfpy.legacy import (
    Array1D,
    Array2D,
    CostReduction,
    Graph,
    InCPUMemoryShuffledInputProviderBuilder,
    NDArrayMathCPU,
    Session,
    SGDOptimizer,
)

tf.set_seed(1)
g = Graph()

# Placeholders are input containers.
input_tensor = g.placeholder("input", [3])
label_tensor = g.placeholder("label", [1])

# Variables hold what training changes.
multiplier = g.variable("multiplier", Array2D.randNormal([1, 3]))

# Graph methods take tensors and return tensors.
output_tensor = g.matmul(multiplier, input_tensor)
cost_tensor = g.meanSquaredCost(output_tensor, label_tensor)

learning_rate = 0.00001
batch_size = 3
math = NDArrayMathCPU()
session = Session(g, math)
optimizer = SGDOptimizer(learning_rate)

inputs = [Array1D.new([1.0, 2.0, 3.0]), Array1D.new([10.0, 20.0, 30.0]), Array1D.new([100.0, 200.0, 300.0])]
labels = [Array1D.new([4.0]), Array1D.new([40.0]), Array1D.new([400.0])]

# Shuffles inputs and labels and keeps them in sync.
builder = InCPUMemoryShuffledInputProviderBuilder([inputs, labels])
[input_provider, label_provider] = builder.getInputProviders()
feed_entries = [
    {"tensor": input_tensor, "data": input_provider},
    {"tensor": label_tensor, "data": label_provider},
]

NUM_BATCHES = 10
for i in range(NUM_BATCHES):

    def step():
        # Train takes a cost tensor to minimize.
        cost = session.train(cost_tensor, feed_entries, batch_size, optimizer, CostReduction.MEAN)
        print(i, cost.get())

    math.scope(step)


def infer(keep, track):
    test_input = track(Array1D.new([0.1, 0.2, 0.3]))
    test_output = session.eval(output_tensor, [{"tensor": input_tensor, "data": test_input}])
    print("shape:", test_output.shape)
    print("value:", test_output.get(0))


math.scope(infer)
for array in inputs + labels:
    array.dispose()
