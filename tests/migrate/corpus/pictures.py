"""A network of random weights that paints, after the demo of deeplearn.js; without training."""

import numpy as np

import tfpy as tf
from tfpy import legacy as dl

NUM_IMAGE_SPACE_VARIABLES = 3  # x, y, r
NUM_LATENT_VARIABLES = 2


class Painter:
    def __init__(self, size):
        self.math = dl.NDArrayMathCPU()
        self.size = size
        self.weights: list[dl.Array2D] = []
        self.add_layers([8, 8, 3])

    def add_layers(self, units):
        last = NUM_IMAGE_SPACE_VARIABLES + NUM_LATENT_VARIABLES
        for n in units:
            self.weights.append(dl.Array2D.randTruncatedNormal([last, n], 0, 0.6))
            last = n

    def positions(self):
        """The inputs: where each pixel is."""
        grid = np.linspace(-0.5, 0.5, self.size)
        rows = [[float(p), float(q), float(np.hypot(p, q))] for p in grid for q in grid]
        return dl.Array2D.new([len(rows), 3], rows)

    def paint(self, z1, z2):
        def draw(keep, track):
            count = self.size * self.size
            latent = track(dl.Array2D.new([count, 2], [z1, z2] * count))
            last_output = self.math.concat2D(self.positions(), latent, 1)
            for i, weight in enumerate(self.weights):
                product = self.math.matMul(last_output, weight)
                if i == len(self.weights) - 1:
                    last_output = self.math.sigmoid(product)
                else:
                    last_output = self.math.tanh(product)
            return last_output.as3D(self.size, self.size, 3)

        return self.math.scope(draw)


tf.set_seed(8)
painter = Painter(4)
picture = painter.paint(0.3, -0.2)
print(picture.shape)
for row in range(4):
    print([round(picture.get(row, column, 0), 4) for column in range(4)])
picture.dispose()
