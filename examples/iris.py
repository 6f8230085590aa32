"""Classify three species of iris by the sizes of their leaves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from common import options

import tfpy as tf

SPECIES = ["setosa", "versicolor", "virginica"]


def main(arguments: Sequence[str] | None = None) -> float:
    given = options(__doc__, arguments)
    x, y = tf.datasets.iris()
    order = np.random.default_rng(2).permutation(len(x))
    train, test = order[:120], order[120:]

    model = tf.sequential()
    model.add(tf.layers.dense(units=10, activation="sigmoid", input_shape=[4]))
    model.add(tf.layers.dense(units=3, activation="softmax"))
    model.compile(optimizer=tf.train.adam(0.05), loss="sparseCategoricalCrossentropy", metrics=["accuracy"])
    model.summary()
    epochs = 20 if given.quick else 60
    model.fit(x[train], y[train], epochs=epochs, seed=1, verbose=2, validation_data=(x[test], y[test]))

    predicted = model.predict(x[test]).arg_max(1)
    print(tf.vis.show.per_class_accuracy(None, tf.vis.metrics.per_class_accuracy(y[test], predicted, 3), SPECIES))
    for name, row in zip(SPECIES, tf.vis.metrics.confusion_matrix(y[test], predicted, 3), strict=True):
        print(f"{name:>10} {row}")
    return float(tf.vis.metrics.accuracy(y[test], predicted))


if __name__ == "__main__":
    main()
