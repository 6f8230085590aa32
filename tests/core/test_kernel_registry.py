"""User-defined kernels, gradients and backends, and tf.engine()."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tfpy as tf
import tfpy.legacy as dl
from tfpy.engine.backend import registry, using
from tfpy.engine.cpu import CpuBackend

pytestmark = pytest.mark.cpu


@pytest.fixture
def squared_plus_one() -> Iterator[None]:
    """A custom Square kernel on the cpu backend."""
    tf.register_kernel(
        {"kernelName": "Square", "backendName": "cpu", "kernelFunc": lambda c: c["inputs"]["x"].numpy() ** 2 + 1}
    )
    yield
    tf.unregister_kernel("Square", "cpu")


@pytest.fixture
def scaled() -> Iterator[None]:
    """A kernel with a new name."""

    def compute(call: dict[str, Any]) -> Any:
        return call["inputs"]["x"].mul(call["attrs"]["howMuch"])

    tf.register_kernel(kernel_name="Scaled", backend_name="cpu", kernel_func=compute)
    yield
    tf.unregister_kernel("Scaled", "cpu")


@pytest.mark.usefixtures("squared_plus_one")
def test_kernel_is_replaced_on_its_backend_only() -> None:
    assert tf.square([2.0, 3.0]).array_sync() == [5, 10]
    assert tf.grad(tf.square)(tf.tensor([2.0])).array_sync() == [4]
    tf.set_backend("exact")
    assert tf.square([2.0, 3.0]).array_sync() == [4, 9]


def test_unregistering_last_kernel_restores_backend() -> None:
    backend = tf.backend()
    tf.register_kernel(kernel_name="Square", backend_name="cpu", kernel_func=lambda c: c["inputs"]["x"])
    assert "run" in vars(backend)
    tf.unregister_kernel("Square", "cpu")
    assert "run" not in vars(backend)
    assert tf.square([3.0]).array_sync() == [9]


def test_unregistering_restores_run_set_as_attribute() -> None:
    """The class of the backend has no `run` to fall back to."""

    class Composed:
        name = "composed"

        def __init__(self) -> None:
            cpu = CpuBackend()
            self.write, self.read, self.implements, self.run = cpu.write, cpu.read, cpu.implements, cpu.run

    assert tf.register_backend("composed", Composed)
    try:
        backend = registry.find("composed")
        original = backend.run
        tf.register_kernel(kernel_name="Square", backend_name="composed", kernel_func=lambda: np.float32([7]))
        with using(backend):
            assert tf.square([3.0]).array_sync() == [7]
            tf.unregister_kernel("Square", "composed")
            assert tf.square([3.0]).array_sync() == [9]
        assert vars(backend)["run"] == original
    finally:
        tf.remove_backend("composed")


def test_replacement_kernel_with_wrong_shape_raises() -> None:
    tf.register_kernel(kernel_name="Square", backend_name="cpu", kernel_func=lambda c: np.zeros(2, np.float32))
    with pytest.raises(ValueError, match="float32"):
        tf.square([1.0, 2.0, 3.0])
    tf.unregister_kernel("Square", "cpu")


@pytest.mark.parametrize("result", [{"dataId": 1, "shape": [1], "dtype": "float32"}, None, [[1, 2], [object()]]])
def test_invalid_kernel_result_raises(result: Any) -> None:
    tf.register_kernel(kernel_name="Square", backend_name="cpu", kernel_func=lambda: result)
    with pytest.raises(TypeError, match=r"kernel_func.*returns tensors or arrays, but got (\{'dataId'|None|\[)"):
        tf.square([1.0])
    tf.unregister_kernel("Square", "cpu")


def test_error_of_wrong_result_names_dtype_and_shape() -> None:
    tf.register_kernel(kernel_name="Square", backend_name="cpu", kernel_func=lambda: np.int32([1, 2]))
    with pytest.raises(ValueError, match=r"a function that returns float32 \[1\], but got int32 \[2\]\."):
        tf.square([1.0])
    tf.unregister_kernel("Square", "cpu")


def test_arrays_from_kernel_are_converted_to_tensors() -> None:
    results = iter([np.array([2**40 + 5]), np.uint8([200])])
    tf.register_kernel(kernel_name="Odd", backend_name="cpu", kernel_func=lambda: next(results))
    with pytest.raises(ValueError, match=r"kernel_func.*whole numbers from -2147483648"):
        tf.engine().run_kernel("Odd", {})
    found = tf.engine().run_kernel("Odd", {})
    assert (found.dtype, found.array_sync()) == ("int32", [200])
    tf.unregister_kernel("Odd", "cpu")


def test_kernel_functions_may_take_no_arguments() -> None:
    calls: list[str] = []
    tf.register_kernel(
        kernel_name="Square",
        backend_name="cpu",
        kernel_func=lambda: np.float32([7]),
        setup_func=lambda: calls.append("setup"),
        dispose_func=lambda: calls.append("dispose"),
    )
    assert tf.square([1.0]).array_sync() == [7]
    tf.unregister_kernel("Square", "cpu")
    assert calls == ["setup", "dispose"]


def test_kernels_with_several_inputs_and_outputs() -> None:
    calls: list[Any] = []

    def split(call: dict[str, Any]) -> list[Any]:
        calls.append(call)
        x = call["inputs"]["x"]
        return [x.slice(0, n) for n in call["attrs"]["sizes"]]

    def concat(call: dict[str, Any]) -> Any:
        return np.concatenate([t.numpy() for t in call["inputs"]["inputs"]])

    tf.register_kernel(kernel_name="SplitV", backend_name="cpu", kernel_func=split)
    tf.register_kernel(kernel_name="Concat", backend_name="cpu", kernel_func=concat)
    parts = tf.split([1.0, 2.0, 3.0, 4.0], 2)
    assert [p.array_sync() for p in parts] == [[1, 2], [1, 2]]
    assert tf.concat([[1.0], [2.0, 3.0]]).array_sync() == [1, 2, 3]
    assert calls[0]["backend"] is tf.backend()
    tf.unregister_kernel("SplitV", "cpu")
    tf.unregister_kernel("Concat", "cpu")


@pytest.mark.usefixtures("scaled")
def test_new_kernel_with_registered_gradient() -> None:
    def f(x: Any) -> Any:
        return tf.engine().run_kernel("Scaled", {"x": x}, {"howMuch": 3})

    assert f(tf.tensor([1.0, 2.0])).array_sync() == [3, 6]
    with pytest.raises(ValueError, match="Scaled has none"):
        tf.grad(f)(tf.tensor([1.0]))
    tf.register_gradient(
        {
            "kernelName": "Scaled",
            "inputsToSave": ["x"],
            "outputsToSave": [True],
            "gradFunc": lambda dy, saved, attrs: {"x": lambda: dy.mul(attrs["howMuch"]).add(saved[0]).add(saved[1])},
        }
    )
    assert tf.grad(f)(tf.tensor([2.0])).array_sync() == [3 + 2 + 6]
    tf.unregister_gradient("Scaled")


@pytest.fixture
def my_concat() -> Iterator[None]:
    """A kernel with a new name and a list of tensors among its inputs."""

    def compute(call: dict[str, Any]) -> Any:
        return tf.concat([*call["inputs"]["xs"], call["inputs"]["last"]])

    tf.register_kernel(kernel_name="MyCat", backend_name="cpu", kernel_func=compute)
    yield
    tf.unregister_gradient("MyCat")
    tf.unregister_kernel("MyCat", "cpu")


def call_my_concat(a: Any, b: Any, c: Any) -> Any:
    return tf.engine().run_kernel("MyCat", {"xs": [a, b], "last": c}).mul([1.0, 2, 3, 4, 5, 6]).sum()


A, B, C = [1.0, 2.0], [3.0, 4.0], [5.0, 6.0]


@pytest.mark.usefixtures("my_concat")
@pytest.mark.parametrize(
    "grad_func",
    [
        lambda dy: {"xs": lambda: tf.split(dy, 3)[:2], "last": lambda: dy.slice(4)},
        lambda dy: {"last": dy.slice(4), "xs": [lambda: dy.slice(0, 2), lambda: dy.slice(2, 2)]},
        lambda dy: [lambda: dy.slice(0, 2), lambda: dy.slice(2, 2), lambda: dy.slice(4, 2)],
    ],
)
def test_gradient_of_list_input(grad_func: Any) -> None:
    tf.register_gradient(kernel_name="MyCat", grad_func=grad_func)
    assert [g.array_sync() for g in tf.grads(call_my_concat)([A, B, C])] == [[1, 2], [3, 4], [5, 6]]
    assert tf.grad(lambda a: call_my_concat(a, tf.tensor(B), a))(tf.tensor(A)).array_sync() == [6, 8]
    assert tf.grad(lambda b: call_my_concat(tf.tensor(A), b, tf.tensor(C)))(tf.tensor(B)).array_sync() == [3, 4]


@pytest.mark.usefixtures("my_concat")
@pytest.mark.parametrize("options", [{"inputs_to_save": ["xs", "last"]}, {"save_all_inputs": True}])
def test_tensors_of_list_input_are_saved_separately(options: Any) -> None:
    def grad_func(dy: Any, saved: Any) -> Any:
        found.extend(t.array_sync() for t in saved)
        return {"xs": lambda: [dy.slice(0, 2), None]}

    found: list[Any] = []
    tf.register_gradient(kernel_name="MyCat", grad_func=grad_func, **options)
    assert tf.grad(lambda a: call_my_concat(a, a.square(), tf.tensor(C)))(tf.tensor(A)).array_sync() == [1, 2]
    assert found == [A, [1, 4], C]


@pytest.mark.usefixtures("my_concat")
@pytest.mark.parametrize("xs", [lambda: tf.zeros([4]), lambda: [tf.zeros([2])], 3])
def test_invalid_gradient_of_list_input_raises(xs: Any) -> None:
    tf.register_gradient(kernel_name="MyCat", grad_func=lambda: {"xs": xs})
    with pytest.raises(
        TypeError, match="MyCat: argument 'grad_func' must be a function that returns for 'xs' a list of 2"
    ):
        tf.grads(call_my_concat)([A, B, C])


def test_custom_gradient_of_concat_by_input_name() -> None:
    tf.register_gradient(
        kernel_name="Concat", grad_func=lambda dy: {"inputs": lambda: [dy.slice(0, 2), dy.slice(2).mul(9)]}
    )
    found = tf.grads(lambda a, b: tf.concat([a, b]))([A, B])
    tf.unregister_gradient("Concat")
    assert [g.array_sync() for g in found] == [[1, 1], [9, 9]]


def test_gradient_can_be_replaced_and_restored() -> None:
    def rules(dy: Any, saved: Any) -> Any:
        found = [dy.mul(saved[1]), dy.mul(0)]
        tf.dispose([dy, saved])  # the rule owns them
        return found

    tf.register_gradient(kernel_name="Multiply", save_all_inputs=True, grad_func=rules)
    found = tf.grads(lambda a, b: a.mul(b))([[2.0], [5.0]])
    assert [g.array_sync() for g in found] == [[5], [0]]
    config = tf.get_gradient("Multiply")
    assert config.gradFunc is rules
    tf.unregister_gradient("Multiply")
    found = tf.grads(lambda a, b: a.mul(b))([[2.0], [5.0]])
    assert [g.array_sync() for g in found] == [[5], [2]]
    assert tf.get_gradient("Multiply").inputs_to_save == ["a", "b"]
    assert tf.get_gradient("Multinomial") is None


@pytest.mark.parametrize("found", [None, 3.0, [], [lambda: "text"]])
def test_invalid_result_of_gradient_raises(found: Any) -> None:
    tf.register_gradient(kernel_name="Exp", grad_func=lambda dy: found)
    try:
        with pytest.raises(TypeError, match="Exp.*grad_func"):
            tf.grad(lambda x: x.exp())(tf.ones([2]))
    finally:
        tf.unregister_gradient("Exp")


def test_run_kernel_takes_inputs_by_name_or_in_order() -> None:
    engine = tf.engine()
    a, b = tf.tensor([3.0]), tf.tensor([2.0])
    assert engine.run_kernel("Sub", {"b": b, "a": a}).array_sync() == [1]
    assert engine.runKernel("Sub", [a, b]).array_sync() == [1]
    assert engine.run_kernel("Sum", {"x": tf.ones([2, 3])}, {"axes": (0,), "keepDims": True}).shape == (1, 3)
    values, indices = engine.run_kernel("TopK", [tf.tensor([1.0, 3.0])], {"k": 1, "sorted": True})
    assert (values.array_sync(), indices.array_sync()) == ([3], [1])
    assert engine.run_kernel("Concat", [[a, b]], {"axis": 0}).array_sync() == [3, 2]


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (ValueError, lambda: tf.engine().run_kernel("Nope", {})),
        (TypeError, lambda: tf.engine().run_kernel("Sum", {"x": tf.ones([2])}, {"nope": 1})),
        (TypeError, lambda: tf.engine().run_kernel("Sum", {"x": 3}, {"axes": (), "keep_dims": True})),
        (TypeError, lambda: tf.engine().run_kernel("Add", None)),
        (TypeError, lambda: tf.engine().run_kernel("Transpose", [tf.ones([2])], {"perm": (5,)})),
        (TypeError, lambda: tf.engine().run_kernel("Fill", [], {"shape": (1,), "value": 0, "dtype": "float99"})),
        (ValueError, lambda: tf.engine().run_kernel("Fill", [], {"shape": (-1,), "value": 0, "dtype": "float32"})),
        (ValueError, lambda: tf.register_kernel(kernel_name="A", backend_name="nope", kernel_func=len)),
        (TypeError, lambda: tf.register_kernel(kernel_name="A", backend_name="cpu", kernel_func=3)),
        (ValueError, lambda: tf.unregister_kernel("Add", "cpu")),
        (TypeError, lambda: tf.register_gradient(kernel_name="Add", grad_func=3)),
        (ValueError, lambda: tf.register_gradient(kernel_name="Add", grad_func=len, inputs_to_save=["q"])),
        (ValueError, lambda: tf.unregister_gradient("Add")),
        (ValueError, lambda: tf.copy_registered_kernels("nope", "cpu")),
        (TypeError, lambda: tf.register_kernel({"kernelName": "A", "backEnd": "cpu"})),
    ],
)
def test_invalid_arguments_raise(error: type[Exception], call: Any) -> None:
    with pytest.raises(error):
        call()


class BareBackend:
    """A backend with the required methods only, and no kernels."""

    name = "bare"

    def __init__(self) -> None:
        self.cpu = CpuBackend()

    def write(self, values: Any, dtype: Any) -> Any:
        return self.cpu.write(values, dtype)

    def read(self, payload: Any, dtype: Any) -> Any:
        return payload

    def run(self, kernel: str, inputs: Any, attrs: Any, out: Any) -> Any:
        raise RuntimeError(f"no kernel {kernel}")

    def implements(self, kernel: str) -> bool:
        return False


def test_kernel_attributes_in_both_spellings() -> None:
    x = tf.tensor([1.0, 5.0])
    for attrs in ({"clipValueMin": 0, "clipValueMax": 2}, {"clip_value_min": 0, "clip_value_max": 2}):
        assert tf.engine().run_kernel("ClipByValue", {"x": x}, attrs).array_sync() == [1, 2]
    for attrs in ({"transposeA": True, "transposeB": False}, {"transpose_a": True, "transpose_b": False}):
        assert tf.engine().run_kernel("BatchMatMul", [tf.ones([2, 1]), tf.ones([2, 3])], attrs).shape == (1, 3)


def test_wrong_number_of_kernel_inputs_raises() -> None:
    run, x = tf.engine().run_kernel, tf.ones([2])
    with pytest.raises(ValueError, match=r"inputs' must be those of Add \(a, b\), but got \['a'\]"):
        run("Add", {"a": x})
    with pytest.raises(ValueError, match=r"inputs' must be those of Square \(x\), but got 2 tensors"):
        run("Square", [x, x])


def test_unknown_or_missing_kernel_attributes_raise() -> None:
    run, x = tf.engine().run_kernel, tf.ones([2])
    with pytest.raises(TypeError, match=r"attrs' must be those of Sum \(axes, keep_dims\), but got \{'axis': 0\}"):
        run("Sum", [x], {"axis": 0})
    for attrs in ({}, {"alpha": 0.1, "beta": 1}):
        with pytest.raises(TypeError, match=r"those of LeakyRelu \(alpha\)"):
            run("LeakyRelu", [x], attrs)
    with pytest.raises(TypeError, match=r"those of Square \(it has none\)"):
        run("Square", [x], {"alpha": 0.1})
    with pytest.raises(TypeError, match="run_kernel: argument 'attrs' must be valid attributes of Sum"):
        run("Sum", [x], {"axes": 1, "keepDims": False})


def test_replacement_kernel_may_have_other_attributes() -> None:
    def power(call: dict[str, Any]) -> Any:
        return call["inputs"]["x"].numpy() ** call["attrs"]["thePower"]

    tf.register_kernel(kernel_name="Square", backend_name="cpu", kernel_func=power)
    for spelling in ("thePower", "the_power"):
        assert tf.engine().run_kernel("Square", [tf.tensor([2.0])], {spelling: 3}).array_sync() == [8]
    tf.unregister_kernel("Square", "cpu")


def test_copy_registered_kernels_to_backend() -> None:
    assert tf.register_backend("bare", BareBackend)
    tf.copy_registered_kernels("cpu", "bare")
    tf.set_backend("bare")
    x = tf.tensor([1.0, 2.0])
    assert tf.topk(x.mul(3).add(1), 1).values.array_sync() == [7]
    assert tf.grad(lambda t: t.square().sum())(x).array_sync() == [2, 4]
    assert tf.clip_by_value(x, 0, 1.5).array_sync() == [
        1,
        1.5,
    ]  # attributes that the kernel's declaration does not name
    for config in tf.get_kernels_for_backend("bare"):
        tf.unregister_kernel(config.kernel_name, "bare")
    with pytest.raises(RuntimeError, match="no kernel"):
        x.mul(3)
    tf.set_backend("cpu")
    tf.remove_backend("bare")


def test_optional_members_of_backend_have_defaults() -> None:
    """By default, a backend is not on a GPU, compiles no plans and is not lazy."""
    elsewhere = tf.tensor([1.0, 4.0])

    class Plain(BareBackend):
        def run(self, kernel: str, inputs: Any, attrs: Any, out: Any) -> Any:
            return self.cpu.run(kernel, inputs, attrs, out)

        def implements(self, kernel: str) -> bool:
            return self.cpu.implements(kernel)

    assert tf.register_backend("plain", Plain)
    tf.set_backend("plain")
    try:
        plain = tf.backend()
        assert (plain.on_gpu, plain.immediate, plain.compile) == (False, False, None)
        assert tf.backend().epsilon() == 1e-7
        assert elsewhere.sqrt().add(1).array_sync() == [2, 3]
        assert elsewhere.backend is plain
        assert tf.memory()["numTensors"] > 0
        model = tf.sequential([tf.layers.reshape(target_shape=[1, 1], input_shape=[1]), tf.layers.gru(units=1)])
        model.compile(optimizer=tf.train.momentum(0.1, 0.5), loss="meanSquaredError")
        losses = model.fit(tf.tensor2d([[0.0], [1]]), tf.tensor2d([[0.1], [0.3]]), epochs=8, verbose=0).history["loss"]
        assert losses[-1] < losses[0]
        array = dl.NDArrayMathCPU().neg(dl.Array1D.new([1]))
        assert array.backend is plain
        assert not array.in_gpu()
        assert dl.NDArrayMath(Plain()).neg(array).get(0) == 1
    finally:
        tf.set_backend("cpu")
        tf.remove_backend("plain")


def test_get_kernel() -> None:
    assert tf.get_kernel("Nope", "cpu") is None
    assert tf.get_kernel("Add", "nope") is None
    config = tf.get_kernel("Add", "exact")
    result = config.kernel_func({"inputs": {"a": tf.scalar(1), "b": tf.scalar(2)}})
    assert result.backend is registry.find("exact")
    assert float(result) == 3


def test_replacement_kernel_may_call_the_original() -> None:
    """As in scripts that count or time kernels."""
    original = tf.get_kernel("Multiply", "cpu")
    calls = []

    def counted(call: dict[str, object]) -> object:
        calls.append(call)
        return original.kernel_func(call)

    tf.set_backend("cpu")
    tf.register_kernel(kernel_name="Multiply", backend_name="cpu", kernel_func=counted)
    assert tf.grad(lambda t: t.mul(3).sum())(tf.tensor([1.0, 2.0])).array_sync() == [3, 3]
    tf.unregister_kernel("Multiply", "cpu")
    assert len(calls) == 2
    assert tf.scalar(2).mul(3).array_sync() == 6


def test_kernel_registered_under_backend_alias(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry._aliases, "numpy", "cpu")
    tf.register_kernel(kernel_name="Square", backend_name="numpy", kernel_func=lambda c: c["inputs"]["x"])
    assert tf.square([3.0]).array_sync() == [3]
    kernel = tf.get_kernel("Square", "numpy")
    assert kernel is not None
    assert kernel is tf.get_kernel("Square", "cpu")
    assert kernel.backend_name == "cpu"
    tf.unregister_kernel("Square", "numpy")
    assert tf.square([3.0]).array_sync() == [9]


def test_setup_and_dispose_functions_are_called() -> None:
    seen: list[str] = []
    tf.register_kernel(
        kernel_name="Odd", backend_name="cpu", kernel_func=len,
        setup_func=lambda b: seen.append("up " + b.name), dispose_func=lambda b: seen.append("down " + b.name),
    )  # fmt: skip
    tf.unregister_kernel("Odd", "cpu")
    assert seen == ["up cpu", "down cpu"]


def test_engine_scopes_and_properties() -> None:
    engine = tf.engine()
    assert engine is tf.engine()
    engine.startScope("outer")
    kept, lost = tf.ones([2]), tf.ones([2])
    engine.end_scope(kept)
    assert lost.is_disposed
    assert not kept.is_disposed
    assert engine.backend is tf.backend()
    assert engine.backendName == "cpu"
    assert "exact" in engine.backend_names()
    assert engine.memory().num_tensors == engine.state["numTensors"]
    v = tf.variable(tf.ones([2]), True, "mine")
    assert engine.registered_variables["mine"] is v
    assert engine.tidy(lambda: tf.ones([1])).shape == (1,)
    assert engine.find_backend("cpu") is tf.backend()
    with pytest.raises(RuntimeError, match="no scope"):
        engine.end_scope()


def test_engine_reset() -> None:
    before = tf.backend()
    v = tf.variable(tf.ones([2]))
    tf.engine().start_scope()
    tf.engine().reset()
    assert v.is_disposed
    assert tf.backend() is not before
    assert tf.add(1, 2).array_sync() == 3


def test_engine_methods_delegate_to_functions() -> None:
    engine = tf.engine()
    t = engine.tidy(lambda: engine.keep(tf.ones([2])))
    assert not t.is_disposed
    assert engine.profile(lambda: t.neg()).kernel_names == ["Neg"]
    assert engine.time(lambda: t.neg()).wall_ms >= 0
    assert engine.find_backend_factory("cpu") is CpuBackend
    assert engine.register_backend("other", BareBackend)
    engine.remove_backend("other")
    assert engine.find_backend_factory("other") is None
    engine.set_backend("exact")
    engine.ready()
    assert engine.backend_name == "exact"
    config = {"kernelName": "Odd", "backendName": "exact", "kernelFunc": lambda call: tf.ones([1])}
    engine.register_kernel(config)
    engine.register_gradient({"kernelName": "Odd", "gradFunc": lambda dy: {}})
    assert engine.run_kernel("Odd", []).array_sync() == [1]
    tf.unregister_gradient("Odd")
    tf.unregister_kernel("Odd", "exact")
    t.dispose()


@pytest.mark.parametrize("saves", [{"save_all_inputs": True}, {"inputs_to_save": ["inputs"]}])
def test_gradient_of_input_named_inputs(saves: dict[str, Any]) -> None:
    """As in TF.js, the gradient receives all tensors of the list; the tape uses the same name internally."""
    tf.register_gradient(kernel_name="Concat", grad_func=lambda dy, saved: [s.mul(7) for s in saved], **saves)
    try:
        found = tf.grads(lambda a, b: tf.concat([a, b]))([tf.tensor([1.0, 2.0]), tf.tensor([5.0])])
        assert [g.array_sync() for g in found] == [[7, 14], [35]]
    finally:
        tf.unregister_gradient("Concat")
    assert tf.grad(lambda a: tf.concat([a, a]))(tf.tensor([1.0])).array_sync() == [2]


def test_backend_without_settable_attributes_raises() -> None:
    class Closed(BareBackend):
        def __setattr__(self, name: str, value: Any) -> None:
            if name != "cpu":
                raise AttributeError(name)
            object.__setattr__(self, name, value)

    tf.register_backend("closed", Closed)
    try:
        with pytest.raises(TypeError, match="register_backend: argument 'factory' must be an object with settable"):
            tf.set_backend("closed")
    finally:
        tf.remove_backend("closed")
