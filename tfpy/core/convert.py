"""Converting arguments to tensors: numbers, nested lists, numpy arrays, data frames, the older API's arrays.

Whole Python numbers are float32, as in JavaScript, which has one number type; numpy integers are int32.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.backend import Array, Backend, current, registry
from tfpy.engine.dtypes import INT32_RANGE, OF_KIND, DType
from tfpy.engine.errors import argument_error, with_article
from tfpy.engine.handle import Handle, attach, check_live, stop_counting
from tfpy.engine.javascript_numbers import to_bool, to_int32
from tfpy.engine.spec import MAX_RANK, spec
from tfpy.engine.state import local

TensorLike: TypeAlias = Handle | npt.ArrayLike
Kind: TypeAlias = DType | Literal["numeric", "any"]

_SCALAR = spec((), "float32")


def to_tensor(op: str, argument: str, value: Any, kind: Kind = "numeric") -> Tensor:
    """`value` as a Tensor.

    Args:
        kind: a required dtype (plain values are converted), 'numeric' for all but strings, or 'any'.

    Raises:
        TypeError: not convertible to a tensor, or a dtype that the op does not accept.
        ValueError: a ragged list, or a number that does not fit.
    """
    if isinstance(value, Tensor):
        dtype = value.spec.dtype
        if dtype == kind or kind == "any" or (kind == "numeric" and dtype != "string"):
            return value
        raise argument_error(op, argument, _wanted(kind), value, TypeError)
    if type(value) in (float, int) and kind in ("numeric", "any", "float32"):
        backend = current()
        try:
            payload = _constant(backend, value).payload
        except OverflowError:
            raise _too_large(op, argument, value) from None
        return dispatch.wrap_constant(Tensor, _SCALAR, payload, backend)
    if isinstance(value, Handle):
        return to_tensor(op, argument, _sharing(op, value), kind)
    wanted: DType | None = None if kind in ("numeric", "any") else kind  # type: ignore[assignment]
    array, dtype = host_values(op, argument, value, wanted)
    if kind == "numeric" and dtype == "string":
        raise argument_error(op, argument, _wanted(kind), value, TypeError)
    return dispatch.make(Tensor, array, dtype)


def _sharing(op: str, handle: Handle) -> Tensor:
    """Another kind of handle as a Tensor on the same data."""
    check_live(handle, op)
    if local.state.tapes or handle.backend is not current():
        # A kernel, so that tapes see where the tensor comes from; the handle itself is moved permanently.
        return dispatch.run(Tensor, "Identity", handle)
    return dispatch.alias(Tensor, handle)


def number(value: float) -> Tensor:
    """A cached float32 scalar operand: the same tensor for the same number.

    It belongs to no scope, is not counted, and must not be handed out: the recipient could dispose it.
    """
    state = local.state
    constant = _constant(state.backend or registry.current or registry.default(), value)
    if state.recorder is not None:
        state.recorder.constant(constant)
    return constant


def _constant(backend: Backend, value: float) -> Tensor:
    # 0.0 and -0.0 are equal, and would be confused.
    constant = _number(backend, value, False if value else math.copysign(1, value) < 0)
    if constant.backend is not backend:  # a custom gradient received and disposed it; or it was moved
        return _number.__wrapped__(backend, value, False)
    return constant


@functools.lru_cache(maxsize=512)
def _number(backend: Backend, value: float, negative_zero: bool) -> Tensor:
    constant = Tensor.__new__(Tensor)
    attach(constant, _SCALAR, backend.write(np.array(value), "float32"), backend)
    stop_counting(constant)
    return constant


def _too_large(op: str, argument: str, value: Any) -> Exception:
    return argument_error(op, argument, "within the range of doubles", value)


def _wanted(kind: Kind) -> str:
    return "a tensor of numbers or booleans" if kind == "numeric" else f"{with_article(kind)} tensor"


def to_tensors(op: str, argument: str, values: Any, kind: Kind = "numeric") -> list[Tensor]:
    """A list of tensor-likes as Tensors."""
    if type(values) not in (list, tuple) and (
        isinstance(values, (Handle, np.ndarray, str, bytes, dict, set, frozenset)) or not isinstance(values, Iterable)
    ):
        raise argument_error(op, argument, "a list of tensors", values, TypeError)
    given = [*values]  # an iterable may be consumed only once
    if kind == "any" and all([isinstance(v, Tensor) for v in given]):  # nothing to convert or to name
        return given
    return [to_tensor(op, f"{argument}[{i}]", v, kind) for i, v in enumerate(given)]


def host_values(op: str, argument: str, value: Any, dtype: DType | None = None) -> tuple[Array, DType]:
    """`value` as a numpy array of numbers fit for a tensor, and the tensor's dtype (inferred when None).

    Floats keep their precision; the backend rounds them to what it stores.
    """
    leaf = _first_leaf(value)
    array = _as_array(op, argument, value, leaf)
    kind = array.dtype.kind
    if type(leaf) is float and kind == "f" and dtype in (None, "float32"):
        return array, "float32"
    if dtype == "float32" and kind in "iu":
        return array, dtype
    if dtype in ("float32", "int32", "bool") and kind in "iuf" and isinstance(leaf, bool):
        return cast_values(array, dtype), dtype
    array, found = _dtype_of(op, argument, value, array, leaf)
    if dtype is None or dtype == found:
        return array, found
    if dtype == "string" and not array.size:
        return array.astype(object), dtype
    if "string" in (dtype, found):
        wanted = "strings" if dtype == "string" else "numbers"
        raise argument_error(op, argument, f"{wanted} for {with_article(dtype)} tensor", value, TypeError)
    if found == "complex64":
        raise argument_error(op, argument, f"real numbers for {with_article(dtype)} tensor", value, TypeError)
    return cast_values(array, dtype), dtype


def cast_values(array: Array, dtype: DType) -> Array:
    """Real numbers converted as TF.js does: int32 truncates and wraps, bool is false where they round to 0."""
    if dtype == "bool":
        return ~((array >= -0.5) & (array < 0.5)) if array.dtype.kind == "f" else to_bool(array)
    return to_int32(array) if dtype == "int32" else array


def _as_array(op: str, argument: str, value: Any, leaf: Any) -> Array:
    if isinstance(value, np.ndarray):
        if type(value) is not np.ndarray and np.ma.is_masked(value):
            raise argument_error(op, argument, "without masked elements (see its method filled)", value)
        return value
    if leaf is None or isinstance(leaf, (dict, set)) or (callable(leaf) and not hasattr(leaf, "__array__")):
        raise argument_error(op, argument, "a tensor or numbers", value, TypeError)
    if isinstance(leaf, Handle):
        raise argument_error(op, argument, "numbers; use stack or concat to join tensors", value, TypeError)
    try:
        array = np.array(value, dtype=object) if isinstance(leaf, (str, bytes)) else np.asarray(value)
        return _joined_columns(value) if array.dtype == object and _is_pandas(value) else array
    except ValueError:
        raise argument_error(op, argument, "rectangular, with rows of equal length", value) from None


def _is_pandas(value: Any) -> bool:
    return hasattr(value, "dtypes") and hasattr(value, "items")


def _joined_columns(table: Any) -> Array:
    """A pandas table whose columns have several types, some with missing values: NaN where they are numeric.

    Column by column, since pandas converts the whole to objects.
    """
    columns = [np.asarray(column) for _, column in table.items()]
    return np.column_stack(columns if all(c.dtype.kind in "fiub" for c in columns) else [np.asarray(table)])


def _first_leaf(value: Any) -> Any:
    """The first element of the innermost first list; [] for an empty one."""
    depth = 0
    while isinstance(value, (list, tuple, range)) and value and depth < MAX_RANK:  # a list may contain itself
        value = value[0]
        depth += 1
    return value


def _dtype_of(op: str, argument: str, value: Any, array: Array, leaf: Any) -> tuple[Array, DType]:
    """The dtype inferred from the first value, and the values as numbers of a numpy type."""
    kind = array.dtype.kind
    if kind in "iufb" and isinstance(leaf, bool):
        return cast_values(array, "bool"), "bool"
    if kind in "iu":
        python = isinstance(leaf, (int, float, list, range))
        return (array, "float32") if python else (_checked_int32(op, argument, array), "int32")
    if kind in "fbc":
        return array, OF_KIND[kind]
    if kind in "SUO":
        # numpy has converted the numbers beside a string to strings; the original values are examined again.
        leaves = list((array if isinstance(value, np.ndarray) else np.array(value, dtype=object)).flat)
        if all(isinstance(v, (str, bytes)) for v in leaves):
            return _encoded(array), "string"
        if all(isinstance(v, (int, float)) for v in leaves):
            try:
                return array.astype(np.float64), "float32"
            except OverflowError:
                raise _too_large(op, argument, value) from None
    raise argument_error(op, argument, "numbers, booleans or strings, all of one kind", value, TypeError)


def _encoded(array: Array) -> Array:
    """Strings as the UTF-8 bytes that string tensors hold."""
    encoded = [_utf8(v) if isinstance(v, str) else bytes(v) for v in array.flat]
    return np.array([*encoded, None], dtype=object)[:-1].reshape(array.shape)


def _utf8(text: str) -> bytes:
    """A string in UTF-8; a lone surrogate, which JSON strings can contain, becomes U+FFFD as in a browser."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _checked_int32(op: str, argument: str, array: Array) -> Array:
    if array.dtype != np.int32 and array.size:
        low, high = INT32_RANGE
        if array.min() < low or array.max() > high:
            raise argument_error(op, argument, f"whole numbers from {low} to {high} (int32)", array)
    return array
