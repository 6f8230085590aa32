"""Messages for unknown names: the closest known name, or tfpy's name for one of another library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from inspect import get_annotations
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from tfpy.engine.errors import letters_of
from tfpy.engine.package import is_ours

# Names of Keras, TensorFlow, TF.js, numpy and PyTorch that users try, and what to use instead; by where they try them.
OF_MODULES = {
    "keras": "tf.layers, tf.sequential, tf.model and tf.callbacks",
    "nn": "tf itself: tf.relu, tf.softmax, tf.conv2d; layers are in tf.layers",
    "activations": "names such as 'relu' as a layer's activation, or functions such as tf.relu",
    "optimizers": "tf.train, as in tf.train.adam(0.001)",
    "random": "tf.random_normal, tf.random_uniform and tf.set_seed",
    "config": "tf.set_backend, and `tfpy doctor` on the command line",
    "device": "tf.set_backend('cpu') or tf.set_backend('webgl')",
    "MirroredStrategy": "tf.distribute.mpi()",
    "forceHalfFloat": "nothing: numbers on the GPU have 32 bits",
    "webgl": "tf.set_backend('webgl'); what TF.js has there is about WebGL itself",
    "wasm": "tf.set_backend('cpu')",
    "setWasmPaths": "nothing: the backend 'cpu' is numpy",
    "list_backends": "tf.engine().backend_names()",
    "constant": "tf.tensor",
    "convert_to_tensor": "tf.tensor",
    "as_tensor": "tf.tensor",
    "from_numpy": "tf.tensor",
    "array": "tf.tensor",
    "function": "the function as it is: there is nothing to compile",
    "stop_gradient": "tf.custom_grad, with a gradient of zeros",
    "no_gradient": "tf.custom_grad, with a gradient of zeros",
    "clone_model": "copy.deepcopy(model)",
    "to_categorical": "tf.one_hot(labels, depth)",
    "clip_by_norm": "an option of the optimizer: tf.train.adam(0.001, clip_norm=1)",
    "clipByNorm": "an option of the optimizer: tf.train.adam(0.001, clipNorm=1)",
    "clip_by_global_norm": "an option of the optimizer: tf.train.adam(0.001, global_clip_norm=1)",
    "clipByGlobalNorm": "an option of the optimizer: tf.train.adam(0.001, globalClipNorm=1)",
    "no_grad": "the code as it is: only tf.grad and optimizers record",
    "GradientTape": "tf.grad, tf.value_and_grad or tf.variable_grads",
    "Input": "tf.input",
    "Model": "tf.model(inputs=…, outputs=…); the class is tf.LayersModel",
    "load_model": "tf.load_layers_model or tf.load_graph_model",
    "loadModel": "tf.loadLayersModel or tf.loadGraphModel",
    "loadFrozenModel": "tf.loadGraphModel",
    "loadSavedModel": "tf.loadGraphModel, of a SavedModel that has been converted",
    "summaryFileWriter": "tf.callbacks.tensorBoard, or SummaryWriter of the package tensorboardX",
    "NDArrayMath": "in the older API: from tfpy import legacy as dl",
    "NDArrayMathCPU": "in the older API: from tfpy import legacy as dl",
    "NDArrayMathGPU": "in the older API: from tfpy import legacy as dl",
    "Graph": "in the older API: from tfpy import legacy as dl",
    "Session": "in the older API: from tfpy import legacy as dl",
    "from_tensor_slices": "tf.data.array or tf.data.zip",
    "from_generator": "tf.data.generator",
    "resize": "tf.image.resize_bilinear or tf.image.resize_nearest_neighbor",
    "float32": "'float32', a string",
    "int32": "'int32', a string",
    "bool": "'bool', a string",
    "string": "'string', a string",
    "cat": "tf.concat",
    "text_vectorization": "a dict of your own from words to numbers, and tf.layers.embedding",
    "TextVectorization": "a dict of your own from words to numbers, and tf.layers.embedding",
    "newaxis": "None, as in t[:, None]",
    **dict.fromkeys(("random_flip", "RandomFlip"), "tf.image.flip_left_right in the map of a data set"),
    **dict.fromkeys(("random_rotation", "RandomRotation"), "tf.image.rotate_with_offset in the map of a data set"),
    **dict.fromkeys(("random_zoom", "RandomZoom"), "tf.image.crop_and_resize in the map of a data set"),
    "inv": "np.linalg.inv(t), which has no gradient",
    "solve": "np.linalg.solve(a, b), which has no gradient",
    "nonzero": "tf.where_async(condition)",
    "shape": "the shape of the tensor: t.shape",
    "std": "tf.moments(x, axis).variance.sqrt()",
    "var": "tf.moments(x, axis).variance",
    "sort": "tf.topk(x, k).values, from the largest to the smallest",
    "argsort": "tf.topk(x, k).indices, from the largest to the smallest",
    "manual_seed": "tf.set_seed",
    "float64": "tf.set_backend('double') for float64 inside; tensors are 'float32'",
}
OF_DATASETS = {
    "enumerate": "enumerate(data) in a loop",
    "cache": "tf.data.array(data.to_array())",
    "as_numpy_iterator": "the data set itself in a loop, and numpy() of its tensors",
}
OF_LAYERS = {
    "input_shape": "input.shape",
}
OF_MODELS = {
    "predict_classes": "predict(x).arg_max(-1)",
    "test_on_batch": "evaluate(x, y)",
    "fit_generator": "fit(generator)",
    "input_shape": "inputs[0].shape",
    "reset_metrics": "nothing: metrics start anew with every epoch",
    "history": "what fit returns: history = model.fit(…)",
}
OF_GRAPH_MODELS = {
    "fit": "tf.sequential, with layers that are trained on what predict returns: a graph model can only be run",
    "layers": "execute(inputs, node), with the name of a node",
    "summary": "inputs and outputs, and `tfpy summary` on the command line",
}
OF_DATASET_CLASS = {
    "from_tensor_slices": "tf.data.array, or tf.data.zip of several",
    "from_generator": "tf.data.generator",
    "range": "tf.data.array(range(n))",
    "zip": "tf.data.zip((a, b))",
}
OF_OPTIMIZERS = {
    "lr": "learning_rate",
}
_OF_DATASETS = {
    "batch_size": "dataset.batch(n)",
    "batchSize": "dataset.batch(n)",
    "shuffle": "dataset.shuffle(n)",
}
# By function.
OF_OPTIONS = {
    "fit_dataset": _OF_DATASETS,
    "evaluate_dataset": _OF_DATASETS,
}
OF_TENSORS = {
    "T": "transpose()",
    "ndim": "rank",
    "item": "float(t), int(t) or array_sync()",
    "tolist": "array_sync()",
    "get": "array_sync() of a scalar, buffer_sync().get(i, j) else",
    "astype": "cast(dtype)",
    "to": "cast(dtype); tf.set_backend says where tensors live",
    "view": "reshape(shape)",
    "permute": "transpose(perm)",
    "unsqueeze": "expand_dims(axis)",
    "detach": "numpy(), or the tensor as it is",
    "cpu": "numpy()",
    "backward": "tf.grad, or the minimize(f) of an optimizer",
    "argmax": "arg_max(axis)",
    "argmin": "arg_min(axis)",
    "clip": "clip_by_value(min, max)",
    "clamp": "clip_by_value(min, max)",
    "copy": "clone()",
    "ravel": "flatten()",
    "repeat": "tile(reps)",
    "std": "tf.moments(t, axis).variance.sqrt()",
    "var": "tf.moments(t, axis).variance",
    "sort": "topk(k).values, from the largest to the smallest",
    "argsort": "topk(k).indices, from the largest to the smallest",
    "nonzero": "tf.where_async(t)",
    "swapaxes": "transpose(perm)",
    "append": "concat(other)",
    "numel": "size",
    "grad": "tf.grad(f), or tf.variable_grads(f)",
    "device": "tf.get_backend()",
    "matmul": "mat_mul(b)",
    "mm": "mat_mul(b)",
    "logsumexp": "log_sum_exp(axis)",
    **{f"reduce_{name}": f"{name}(axis)" for name in ("sum", "mean", "max", "min", "prod", "any", "all")},
}
OF_VARIABLES = {
    "assign_add": "assign(v + x)",
    "assign_sub": "assign(v - x)",
    "value": "the variable itself, or numpy()",
}
OF_BACKENDS = {
    **dict.fromkeys(("cuda", "metal", "mps", "opengl", "rocm", "vulkan", "webgpu"), "'webgl': the GPU, of any vendor"),
    **dict.fromkeys(("node", "numpy", "tensorflow", "wasm"), "'cpu': numpy"),
}


NAMESPACES: dict[str, Mapping[str, Any]] = {}
"""The contents of `tf` and of the namespaces in it, by name. Each is registered when it is loaded."""


class MissingNameError(AttributeError):
    """An unknown name. The hint is computed when the message is read: most such errors are only caught and dropped."""

    def __init__(self, owner: str, name: str, known: Callable[[], Iterable[str]], elsewhere: Mapping[str, str]) -> None:
        super().__init__(name=name)
        self._owner = owner
        self._known = known
        self._elsewhere = elsewhere

    def __str__(self) -> str:
        return f"{self._owner} has no attribute {self.name!r}.{hint(str(self.name), self._known(), self._elsewhere)}"


def hint(name: str, known: Iterable[str], elsewhere: Mapping[str, str]) -> str:
    """The sentence that suggests a replacement for a name; empty if no name is close.

    Args:
        name: the name.
        known: the known names.
        elsewhere: names of other libraries, and their replacements.
    """
    import difflib  # here, to keep the startup fast

    plain = _by_plain(known)
    key = letters_of(name)
    if key not in plain:
        if name in elsewhere:
            return f" In tfpy it is {elsewhere[name]}."
        key = key.removeprefix("reduce") or key
    if key not in plain:
        for space, names in _namespaces().items():
            found = _best(name, _by_plain(names).get(key, [""]))
            if found and found[0].isupper() == name[0].isupper():
                return f" Did you mean {space}.{found}?"
    longer = sorted((k for k in plain if k == key or (len(key) > 3 and k.startswith(key))), key=len)
    close = longer or difflib.get_close_matches(key, plain, n=1)
    return f" Did you mean {_best(name, plain[close[0]])!r}?" if close else ""


def _by_plain(names: Iterable[str]) -> dict[str, list[str]]:
    """Public names, grouped by a form that all spellings of a name share."""
    found: dict[str, list[str]] = {}
    for name in names:
        if not name.startswith("_"):
            found.setdefault(letters_of(name), []).append(name)
    return found


def _best(wanted: str, spellings: list[str]) -> str:
    """The spelling in the style of the wanted name; CapWords and snake_case are both Python's."""
    snake = wanted.islower() or wanted[:1].isupper()
    return max(spellings, key=lambda s: (s[:1].isupper() == wanted[0].isupper(), s.islower() == snake))


def _namespaces() -> dict[str, list[str]]:
    """`tf` and the namespaces in it, with their names."""
    outer_first = sorted(NAMESPACES, key=lambda space: space.count("."))
    return {space: names_of(NAMESPACES[space]) for space in outer_first}


def names_of(namespace: Mapping[str, Any]) -> list[str]:
    """The names in a namespace, without submodules and private imports."""
    public = [
        n for n, v in namespace.items() if not isinstance(v, ModuleType) or "_missing_from" in vars(v) or callable(v)
    ]
    return [name for name in public if name not in ("TYPE_CHECKING", "annotations", "overload")]


class Hints:
    """Base of classes whose users try names of other libraries: `_elsewhere` has the replacements for these."""

    __slots__ = ()
    _elsewhere: ClassVar[Mapping[str, str]] = {}

    if not TYPE_CHECKING:  # type checkers would assume that every name exists

        def __getattr__(self, name: str) -> Any:
            if hasattr(type(self), name):
                return object.__getattribute__(self, name)  # a property has failed: its own error has the reason
            raise self._no_attribute(name)

    def _no_attribute(self, name: str) -> AttributeError:
        """The error for an unknown name."""
        return MissingNameError(f"'{type(self).__name__}' object", name, lambda: dir(self), self._elsewhere)


class Closed(Hints):
    """Base of classes whose objects reject unknown attributes, since setting one would have no effect.

    The names that a class defines or annotates are known. Objects of user-defined classes accept any name.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers would assume that every name can be set

        def __setattr__(self, name: str, value: Any) -> None:
            cls = type(self)
            if is_ours(cls) and not name.startswith("_") and name not in _attributes_of(cls):
                raise MissingNameError(f"'{cls.__name__}' object", name, lambda: _attributes_of(cls), self._elsewhere)
            object.__setattr__(self, name, value)


@cache
def _attributes_of(cls: type) -> frozenset[str]:
    """The names that a class defines or annotates."""
    return frozenset({*dir(cls), *(name for base in cls.__mro__ for name in get_annotations(base))})


class Absent:
    """A name of another library as a missing attribute: reading it raises an error with the replacement.

    It is for classes whose attributes must be fast: CPython 3.11 reads attributes slowly if a class has `__getattr__`.
    For all other names Python's own error suggests the closest one.
    """

    __slots__ = ("_instead", "_name")

    def __init__(self, name: str, instead: str) -> None:
        self._name = name
        self._instead = instead

    def __get__(self, instance: object, owner: type) -> Any:
        name = self._name
        raise AttributeError(
            f"{owner.__name__!r} object has no attribute {name!r}. In tfpy it is {self._instead}.", name=name
        )


def add_absent(cls: type, names: Mapping[str, str]) -> None:
    """Add hints for names that a class does not have."""
    for name, instead in names.items():
        setattr(cls, name, Absent(name, instead))


def without_absent(names: Iterable[str], cls: type) -> list[str]:
    """The names among a class's that exist."""
    absent = {name for base in cls.__mro__ for name, value in vars(base).items() if isinstance(value, Absent)}
    return [name for name in names if name not in absent]
