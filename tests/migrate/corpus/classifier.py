"""A softmax classifier with its accuracy, in snake_case."""

import numpy as np

import tfpy as tf
from tfpy import legacy as dl

tf.set_seed(5)
rng = np.random.default_rng(0)
features = rng.normal(size=(12, 4))
classes = (features[:, 0] > 0).astype(int) + (features[:, 1] > 0)

graph = dl.Graph()
image = graph.placeholder("image", [4])
label = graph.placeholder("label", [3])
weights = graph.variable("weights", dl.Array2D.rand_normal([4, 3], 0, 0.1))
bias = graph.variable("bias", dl.Array1D.zeros([3]))
logits = graph.add(graph.matmul(image, weights), bias)
cost = graph.softmax_cross_entropy_cost(logits, label)
accuracy = graph.argmax_equals(logits, label)
prediction = graph.argmax(graph.softmax(logits))

images = [dl.Array1D.new(row) for row in features]
labels = [dl.Array1D.new([1.0 if k == c else 0.0 for k in range(3)]) for c in classes]
image_provider, label_provider = dl.InGPUMemoryShuffledInputProviderBuilder([images, labels]).get_input_providers()
math = dl.NDArrayMathCPU()
session = dl.Session(graph, math)
optimizer = dl.MomentumOptimizer(0.3, 0.9)
feeds = [{"tensor": image, "data": image_provider}, {"tensor": label, "data": label_provider}]
for i in range(15):
    average = session.train(cost, feeds, 6, optimizer, dl.CostReduction.MEAN)
    print(round(float(average.get()), 4))
right = 0
for one, answer in zip(images, labels):
    right += int(session.eval(accuracy, [{"tensor": image, "data": one}, {"tensor": label, "data": answer}]).get())
print(right)
print([int(session.eval(prediction, [{"tensor": image, "data": one}]).get()) for one in images])
