"""Unknown names: errors suggest a replacement, and attribute access stays cheap."""

from __future__ import annotations

from typing import Any

import pytest

import tfpy as tf
from tfpy import legacy as dl


def model() -> tf.Sequential:
    return tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2])])


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        # another spelling of a name
        (lambda: tf.onehot, "'one_hot'"),
        (lambda: tf.oneHott, "'oneHot'"),
        (lambda: tf.layers.conv2D, "'conv2d'"),
        (lambda: tf.train.Adam, "'adam'"),
        (lambda: tf.layers.BatchNorm, "'BatchNormalization'"),
        (lambda: tf.ones([2]).argmax, "arg_max(axis)"),
        (lambda: model().getlayer, "'get_layer'"),
        (lambda: tf.callbacks.EarlyStopping, "'early_stopping'"),
        (lambda: tf.callbacks.earlyStoping, "'earlyStopping'"),
        # a name of another namespace
        (lambda: tf.Dense, "tf.layers.Dense"),
        (lambda: tf.confusionMatrix, "tf.math.confusionMatrix"),
        (lambda: tf.models.Sequential, "tf.Sequential"),
        # a name of another library
        (lambda: tf.keras, "tf.layers"),
        (lambda: tf.reduce_mean, "'mean'"),
        (lambda: tf.ones([2]).reduce_mean, "mean(axis)"),
        (lambda: tf.constant, "tf.tensor"),
        (lambda: tf.loadModel, "tf.loadLayersModel"),
        (lambda: tf.NDArrayMathGPU, "from tfpy import legacy as dl"),
        (lambda: tf.load_model, "tf.load_layers_model"),
        (lambda: tf.float32, "'float32'"),
        (lambda: tf.models.clone_model, "copy.deepcopy(model)"),
        (lambda: tf.utils, "'util'"),
        (lambda: tf.util.to_categorical, "tf.one_hot"),
        (lambda: tf.no_gradient, "tf.custom_grad"),
        (lambda: tf.clip_by_norm, "tf.train.adam(0.001, clip_norm=1)"),
        (lambda: tf.clipByGlobalNorm, "tf.train.adam(0.001, globalClipNorm=1)"),
        (lambda: tf.sort, "tf.topk(x, k).values"),
        (lambda: tf.ones([2]).T, "transpose()"),
        (lambda: tf.ones([2]).std, "tf.moments(t, axis).variance.sqrt()"),
        (lambda: model().history, "what fit returns"),
        (lambda: tf.newaxis, "None"),
        (lambda: tf.layers.RandomFlip, "tf.image.flip_left_right"),
        (lambda: tf.linalg.inv, "np.linalg.inv(t)"),
        (lambda: tf.variable(1).assign_add, "assign(v + x)"),
        (lambda: tf.ones([2]).get, "buffer_sync().get(i, j)"),
        (lambda: tf.data.array([1]).forEach, "'forEachAsync'"),
        (lambda: tf.data.array([1]).cache, "tf.data.array(data.to_array())"),
        (lambda: tf.train.sgd(0.1).lr, "learning_rate"),
        (lambda: model().input_shape, "it is inputs[0].shape"),
        (lambda: model().layers[0].input_shape, "it is input.shape"),
        (lambda: tf.data.from_generator, "tf.data.generator"),
        (lambda: tf.data.Dataset.from_tensor_slices, "tf.data.array"),
        (lambda: tf.GraphModel("nowhere").fit, "can only be run"),
        (lambda: tf.vis.visor().savefig, "save('charts.png')"),
        (lambda: tf.History().plot().show, "save('charts.html')"),
        # names of earlier versions
        (lambda: tf.multiply, "In tfpy it is tf.mul."),
        (lambda: tf.batchNormalization, "it is tf.batchNorm of tensors"),
        (lambda: tf.addStrict, "In tfpy it is tf.add."),
        (lambda: tf.scalar(1).maximum_strict, "In tfpy it is maximum(b)."),
        (lambda: tf.scalar(1).getValues, "In tfpy it is dataSync()."),
        (lambda: tf.scalar(1).val, "In tfpy it is float(t)"),
        # a name of TF.js that means nothing here
        (lambda: tf.forceHalfFloat, "32 bits"),
        (lambda: tf.webgl, "set_backend('webgl')"),
        (lambda: tf.setWasmPaths, "nothing"),
    ],
)
def test_unknown_attribute_error_suggests_replacement(wrong: Any, right: str) -> None:
    with pytest.raises(AttributeError) as caught:
        wrong()
    assert right in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (lambda: tf.layers.conv2d(filters=2, kernel=3), "'kernel_size'"),
        (lambda: tf.layers.conv2d(filters=2, kernelsize=3), "'kernel_size'"),
        (lambda: tf.layers.conv2d(filters=2, kernelSise=3), "'kernelSize'"),
        (lambda: model().compile(optimizer="sgd", loss="sparse_crossentropy"), "'sparse_categorical_crossentropy'"),
        (lambda: model().compile(optimizer="sgd", loss="sparseCrossentropy"), "'sparseCategoricalCrossentropy'"),
        (lambda: model().compile(optimizer="sgd", loss="mean_square_error"), "'mean_squared_error'"),
        (lambda: model().fit([1], [1], epoch=3), "'epochs'"),
        (lambda: tf.train.adam(lr=0.1), "In tfpy it is learning_rate."),
        (lambda: tf.AdamOptimizer({"lr": 0.1}), "learning_rate"),
        (lambda: dl.AdamOptimizer(lr=0.1), "In tfpy it is learning_rate."),
    ],
)
def test_unknown_option_error_keeps_spelling_style(wrong: Any, right: str) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        wrong()
    assert right in str(caught.value)


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("lr", lambda: tf.data.array([1])),
        ("lr", lambda: tf),
        ("input_shape", lambda: tf),
        ("reset_metrics", lambda: tf.data.array([1])),
        ("history", lambda: tf.train.sgd(0.1)),
        ("fit_generator", lambda: model().layers[0]),
        ("constant", model),
    ],
)
def test_hint_is_given_only_for_matching_owner(name: str, owner: Any) -> None:
    with pytest.raises(AttributeError) as caught:
        getattr(owner(), name)
    assert "In tfpy it is" not in str(caught.value)


def test_weight_of_unbuilt_layer_is_explained() -> None:
    with pytest.raises(AttributeError) as caught:
        tf.layers.dense(units=1).kernel  # noqa: B018
    assert "has no weights yet" in caught.value.__notes__[0]


def test_dissimilar_name_gets_no_hint() -> None:
    with pytest.raises(AttributeError) as caught:
        tf.qqqqq  # noqa: B018
    assert str(caught.value) == "module 'tfpy' has no attribute 'qqqqq'."


def test_hasattr_of_unknown_names_is_false() -> None:
    assert not hasattr(tf, "keras")
    assert not hasattr(tf.layers, "keras")
    assert not hasattr(tf.ones([2]), "T")
    assert getattr(model(), "test_on_batch", None) is None


@pytest.mark.parametrize(
    ("thing", "own", "others"),
    [
        (tf.variable(1), "transpose", {"T", "argmax"}),
        (tf.data.array([1]), "batch", {"from_generator", "zip"}),
        (tf.GraphModel("nowhere"), "predict", {"fit", "layers"}),
    ],
)
def test_dir_omits_names_of_other_libraries(thing: Any, own: str, others: set[str]) -> None:
    names = {*dir(thing)}
    assert own in names
    assert not others & names


def test_tensor_has_no_getattr_hook() -> None:
    """`__getattr__` would slow down every attribute access, by a sixth of an op on CPython 3.11."""
    assert not hasattr(tf.Tensor, "__getattr__")


def test_error_in_property_is_not_replaced() -> None:
    class Broken(tf.layers.Layer):
        @property
        def broken(self) -> int:
            return None.missing  # type: ignore[attr-defined,no-any-return]

    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'missing'"):
        Broken().broken  # noqa: B018


OPTIMIZERS: list[Any] = [
    *(lambda make=make: make(learning_rate=0.1) for make in (tf.train.sgd, tf.train.adagrad, tf.train.adadelta)),
    *(lambda make=make: make(learning_rate=0.1) for make in (tf.train.rmsprop, tf.train.adam, tf.train.adamax)),
    *(lambda make=make: make(learning_rate=0.1) for make in (tf.train.adamw, tf.train.nadam)),
    lambda: tf.train.momentum(0.1, 0.9),
    lambda: dl.SGDOptimizer(0.1),
    lambda: dl.MomentumOptimizer(0.1, 0.9),
    lambda: dl.RMSPropOptimizer(0.1),
    lambda: dl.AdamMaxOptimizer(0.1),
]


@pytest.mark.parametrize("make", OPTIMIZERS)
def test_setting_unknown_optimizer_attribute_raises(make: Any) -> None:
    optimizer = make()
    for name, right in (
        ("lr", "In tfpy it is learning_rate."),
        ("clip_norm", "has no"),
        ("learning_rat", "learning_rate"),
    ):
        with pytest.raises(AttributeError) as caught:
            setattr(optimizer, name, 5)
        assert right in str(caught.value)
    for name, value in dict(vars(optimizer)).items():
        setattr(optimizer, name, value)
    optimizer.learningRate = 0.5
    assert optimizer.learning_rate == 0.5


def test_custom_optimizer_may_have_own_attributes() -> None:
    class Patient(tf.AdamOptimizer):
        def __init__(self, lr: float, patience: int) -> None:
            super().__init__(lr)
            self.lr, self.patience = lr, patience

    class Old(dl.SGDOptimizer):
        def __init__(self, lr: float) -> None:
            super().__init__(lr)
            self.lr = lr

    optimizer = Patient(0.1, 3)
    optimizer.note = "of mine"
    assert (optimizer.lr, optimizer.patience, optimizer.note, Old(0.2).lr) == (0.1, 3, "of mine", 0.2)
