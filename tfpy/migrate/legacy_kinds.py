"""The kinds of tfpy.legacy: its classes, their instances, and the results of their methods."""

from __future__ import annotations

from tfpy.core.naming.names import in_both_spellings
from tfpy.legacy.migration import successors
from tfpy.migrate import eager
from tfpy.migrate.kind import FunctionOf, Kind, ListOf, as_pinned

ARRAYS = ("NDArray", "Scalar", "Array1D", "Array2D", "Array3D", "Array4D")
MATHS = ("NDArrayMath", "NDArrayMathCPU", "NDArrayMathGPU")
BUILDERS = tuple(f"In{place}MemoryShuffledInputProviderBuilder" for place in ("CPU", "GPU", ""))
SCALARS = {"ZERO": "0", "ONE": "1", "TWO": "2", "NEG_ONE": "-1"}
NEXT_COPY = ("get_next_copy", "getNextCopy")
_WITHOUT_COUNTERPART = ("value_and_gradients", "variable_gradients", "conv2d_back_prop", "custom_gradient", "vjp")
_READS = ("get_values", "get_values_async", "data_sync", "data")
_INITIALIZERS = (*successors.table("initializer"), "VarianceScalingInitializer")


# The instances of classes.
_INSTANCES: dict[str, Kind] = {
    **dict[str, Kind].fromkeys(ARRAYS, "array"),
    **dict[str, Kind].fromkeys(MATHS, "math"),
    **dict[str, Kind].fromkeys(BUILDERS, "builder"),
    **dict[str, Kind].fromkeys(_INITIALIZERS, "initializer"),
    "Graph": "graph",
    "Tensor": "symbol",
    "Session": "session",
    "FeedEntry": "feed",
    "GraphRunner": "runner",
    "ENV.math": "math",
}
# The kinds of the results of methods, by name; methods of the math that are not here return arrays.
OF_MATH: dict[str, Kind] = {
    "time": "number",
    "get_num_arrays": "number",
    "top_k": "record",
    "moments": "record",
    "basic_lstm_cell": ListOf("array"),
    "multi_rnn_cell": ListOf(ListOf("array")),
    **dict[str, Kind].fromkeys(_WITHOUT_COUNTERPART, "kept"),
}
OF_GRAPH: dict[str, Kind] = {"variable": "variable", "constant": "constant", "placeholder": "placeholder"}
OF_BUILDER: dict[str, Kind] = in_both_spellings({"get_input_providers": ListOf("provider"), "get_epoch": "number"})
OF_ARRAY: dict[str, Kind] = {
    "get": "number",
    "val": "number",
    **in_both_spellings({"array_sync": None, **dict[str, Kind].fromkeys(_READS, "values")}),
}


def instance(path: str) -> Kind:
    """The kind of the instances of a class, and of the results of the functions of array classes."""
    head, _, rest = path.partition(".")
    if rest and head in ARRAYS:
        return "array"
    if head == "train":
        return "trainer"
    return "optimizer" if head.endswith("Optimizer") else _INSTANCES.get(path)


def named(path: str) -> Kind:
    """The kind of a path under tfpy.legacy that is not called."""
    if path.startswith("Scalar.") and path.split(".")[1] in SCALARS:
        return "array"
    if path == "ENV.math":
        return "math"
    head, _, name = path.partition(".")
    if head in ARRAYS and (name == "new" or successors.successor("static", name)):
        return FunctionOf("ndarray")
    result = eager.results().get(path)
    return None if result is None else FunctionOf(result if eager.is_in_both(path) else as_pinned(result))


def math_method(name: str) -> Kind:
    """A method of the math that is not called here: its successor, if that takes the same arguments."""
    found = successors.successor("math", name)
    if found is None or found.own or not found.forms:
        return None
    result = OF_MATH.get(successors.snake("math", name), "array")
    return FunctionOf(result if found.function else as_pinned(result))
