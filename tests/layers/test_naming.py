"""Names of layers and weights: unique also beside unpickled models, and forgotten after a time."""

from __future__ import annotations

import copy
import pickle

import pytest

import tfpy as tf
from tfpy.layers import naming


def _model() -> tf.Sequential:
    return tf.sequential(layers=[tf.layers.dense(units=2, input_shape=[3])])


@pytest.fixture
def fresh_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Name counters as in a process that has created no layer yet."""
    monkeypatch.setattr(naming, "_uids", {})
    monkeypatch.setattr(naming, "_used", {})


def _from_another_process(monkeypatch: pytest.MonkeyPatch) -> tf.Sequential:
    monkeypatch.setattr(naming, "_uids", {})
    monkeypatch.setattr(naming, "_used", {})
    pickled = pickle.dumps(_model())
    monkeypatch.setattr(naming, "_uids", {})
    monkeypatch.setattr(naming, "_used", {})
    return pickle.loads(pickled)


def test_new_weight_names_differ_from_unpickled_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    unpickled = _from_another_process(monkeypatch)
    created = _model()
    assert {w.name for w in unpickled.weights}.isdisjoint([w.name for w in created.weights])


def test_layer_can_be_added_to_unpickled_model(monkeypatch: pytest.MonkeyPatch) -> None:
    model = _from_another_process(monkeypatch)
    model.add(tf.layers.dense(units=1))
    assert model.predict(tf.ones([1, 3])).shape == (1, 1)


def test_weight_name_differs_from_existing_variable(fresh_names: None) -> None:
    variable = tf.variable(tf.ones([1]), name="dense_Dense1/kernel")
    assert _model().weights[0].name == "dense_Dense1/kernel_1"
    assert variable.name == "dense_Dense1/kernel"


@pytest.mark.usefixtures("fresh_names")
def test_old_names_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(naming, "_MAX_USED", 20)
    config = _model().get_config()
    for _ in range(50):
        _model()
        tf.Sequential.from_config(copy.deepcopy(config))
    assert len(naming._used) <= 21
    assert naming.unique("new") == "new"
    assert naming.unique("new") == "new_1"
