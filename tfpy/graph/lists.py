"""Graph values that are not tensors: lists and arrays of tensors, and tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from tfpy.core.ops.create import tensor as make_tensor
from tfpy.core.ops.create import zeros
from tfpy.core.ops.join import concat, stack
from tfpy.core.ops.shape import reshape
from tfpy.core.tensor import Tensor
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error

PartialShape = tuple[int, ...]


def merge_shapes(where: str, a: PartialShape | None, b: PartialShape | None) -> PartialShape | None:
    """The shape that two shapes agree on; -1 stands for an unknown size, None for an unknown rank."""
    if a is None or b is None:
        return b if a is None else a
    if len(a) != len(b) or any(m != n and m >= 0 and n >= 0 for m, n in zip(a, b, strict=True)):
        raise argument_error(where, "element_shape", f"like {list(a)}", list(b))
    return tuple(m if m >= 0 else n for m, n in zip(a, b, strict=True))


def element_shape(value: Any) -> PartialShape | None:
    """A shape given as the values of a tensor: a list of sizes, or -1 for an unknown rank."""
    if isinstance(value, (list, tuple)):
        return tuple(int(n) for n in value)
    return None


class TensorList:
    """An immutable list of tensors: writing returns a new list.

    Attributes:
        items: the tensors; None if not yet written.
        shape: the shape of each, as far as it is known.
        dtype: the dtype of each.
        most: the maximum number; -1 for no limit.
    """

    def __init__(
        self, items: Sequence[Tensor | None], shape: PartialShape | None, dtype: DType | None, most: int = -1
    ) -> None:
        self.items = list(items)
        self.shape = shape
        self.dtype = dtype
        self.most = most

    def _with(self, items: Sequence[Tensor | None]) -> TensorList:
        return TensorList(items, self.shape, self.dtype, self.most)

    def _check(self, where: str, tensor: Tensor) -> Tensor:
        if self.dtype is not None and tensor.dtype != self.dtype:
            expected = f"a tensor of dtype {self.dtype}, like those of the list"
            raise argument_error(where, "tensor", expected, tensor, TypeError)
        merge_shapes(where, self.shape, tensor.shape)
        return tensor

    def pushed(self, where: str, tensor: Tensor) -> TensorList:
        """The list with a tensor appended."""
        if 0 <= self.most <= len(self.items):
            raise argument_error(where, "tensor", f"at most {self.most}, the limit of the list", tensor)
        return self._with([*self.items, self._check(where, tensor)])

    def popped(self, where: str, shape: PartialShape | None) -> tuple[TensorList, Tensor]:
        """The list without its last tensor, and that tensor."""
        if not self.items:
            raise argument_error(where, "list", "a non-empty list", "an empty one")
        return self._with(self.items[:-1]), self.item(where, len(self.items) - 1, shape)

    def item(self, where: str, index: int, shape: PartialShape | None) -> Tensor:
        """A tensor of the list; zeros if not yet written and the shape is known."""
        if not 0 <= index < len(self.items):
            raise argument_error(where, "index", f"below the {len(self.items)} tensors of the list", index)
        wanted = merge_shapes(where, self.shape, shape)
        found = self.items[index]
        if found is None:
            return zeros(self._known_shape(where, wanted), self.dtype or "float32")
        return reshape(found, found.shape if wanted is None or -1 in wanted else wanted)

    def with_items(self, where: str, items: Iterable[tuple[int, Tensor]]) -> TensorList:
        """The list with tensors set at indices; it grows if needed."""
        changed = list(self.items)
        for index, tensor in items:
            if index < 0 or 0 <= self.most <= index:
                expected = "0 or more" if self.most < 0 else f"from 0 to {self.most - 1}"
                raise argument_error(where, "index", expected, index)
            changed += [None] * (index + 1 - len(changed))
            changed[index] = self._check(where, tensor)
        return self._with(changed)

    def resized(self, size: int) -> TensorList:
        """The list resized."""
        return self._with([*self.items[:size], *[None] * (size - len(self.items))])

    def stacked(self, where: str, shape: PartialShape | None, indices: Sequence[int] | None = None) -> Tensor:
        """The tensors, or those at some indices, stacked."""
        picked = range(len(self.items)) if indices is None else [i for i in indices if i < len(self.items)]
        wanted = merge_shapes(where, self.shape, shape)
        for tensor in self.items:
            wanted = wanted if tensor is None else merge_shapes(where, wanted, tensor.shape)
        if not picked:
            return self._empty(where, wanted)
        return stack([self.item(where, i, wanted) for i in picked], 0)

    def joined(self, where: str, shape: PartialShape | None) -> Tensor:
        """The tensors concatenated along their first axis."""
        if not self.items:
            return self._empty(where, shape)
        return concat([self.item(where, i, None) for i in range(len(self.items))], 0)

    def _empty(self, where: str, shape: PartialShape | None) -> Tensor:
        inner = self._known_shape(where, merge_shapes(where, self.shape, shape))
        return zeros([0, *inner], self.dtype or "float32")

    def _known_shape(self, where: str, shape: PartialShape | None) -> PartialShape:
        if shape is None or any(n < 0 for n in shape):
            raise argument_error(where, "element_shape", "fully known, for a list without tensors", shape)
        return shape


class TensorArray:
    """An array of tensors that is written to and read: TensorFlow's older kind of list.

    Attributes:
        name: its name, for messages.
        dtype: the dtype of its tensors.
    """

    def __init__(
        self, name: str, dtype: DType | None, size: int, shape: PartialShape | None, grows: bool, clears: bool
    ) -> None:
        self.name = name
        self.dtype = dtype
        self._size, self._shape, self._grows, self._clears = size, shape, grows, clears
        self._items: dict[int, Tensor] = {}
        self._cleared: set[int] = set()
        self._closed = False
        # The first write determines what was not specified.
        self._written: PartialShape | None = None

    def __len__(self) -> int:
        return self._size

    def read(self, where: str, index: int) -> Tensor:
        """A tensor."""
        self._open(where)
        if index in self._cleared:
            raise argument_error(where, "index", "that of a tensor not read before (clear_after_read)", index)
        if index not in self._items:
            raise argument_error(where, "index", f"that of a tensor written to array {self.name!r}", index)
        if self._clears:
            self._cleared.add(index)
            return self._items.pop(index)
        return self._items[index]

    def write(self, where: str, index: int, tensor: Tensor) -> None:
        """Set a tensor, once."""
        self._open(where)
        if index < 0 or (not self._grows and index >= self._size):
            raise argument_error(where, "index", f"below {self._size}, the size of array {self.name!r}", index)
        if tensor.dtype != self.dtype:
            raise argument_error(where, "tensor", f"a tensor of dtype {self.dtype}", tensor, TypeError)
        if index in self._items or index in self._cleared:
            raise argument_error(where, "index", "one that was not written to before", index)
        merge_shapes(where, self._shape or None, tensor.shape)
        self._written = self._written or tensor.shape
        self._size = max(self._size, index + 1)
        self._items[index] = tensor

    def gather(self, where: str, indices: Sequence[int]) -> Tensor:
        """Tensors stacked."""
        return stack([self.read(where, i) for i in indices], 0) if len(indices) else self._empty(where)

    def joined(self, where: str) -> Tensor:
        """All tensors concatenated along their first axis."""
        return concat([self.read(where, i) for i in range(len(self))], 0) if len(self) else self._empty(where)

    def _empty(self, where: str) -> Tensor:
        shape = merge_shapes(where, self._shape or None, self._written) or ()
        return zeros([0, *(n for n in shape if n >= 0)], self.dtype or "float32")

    def close(self) -> None:
        """Release the tensors; the array is not used again."""
        self._items.clear()
        self._closed = True

    def _open(self, where: str) -> None:
        if self._closed:
            raise RuntimeError(f"{where}: the TensorArray {self.name!r} is closed.")


class HashTable:
    """A table from keys to values, filled once and then read."""

    def __init__(self, key_dtype: DType | None, value_dtype: DType | None) -> None:
        self.key_dtype, self.value_dtype = key_dtype, value_dtype
        self._values: dict[Any, Any] = {}

    def __len__(self) -> int:
        return len(self._values)

    def fill(self, where: str, keys: Tensor, values: Tensor) -> None:
        """Replace the contents."""
        self._check(where, keys, values)
        if len(keys.data_sync()) != len(values.data_sync()):
            raise argument_error(where, "values", f"as many as the {keys.size} keys", values)
        self._values = dict(zip(_plain(keys), _plain(values), strict=True))

    def find(self, where: str, keys: Tensor, default: Tensor) -> Tensor:
        """The values for keys, of the shape of the keys."""
        self._check(where, keys, default)
        missing = _plain(default)[0]
        found = [self._values.get(key, missing) for key in _plain(keys)]
        return make_tensor(found, keys.shape, default.dtype)

    def _check(self, where: str, keys: Tensor, values: Tensor) -> None:
        for argument, tensor, dtype in (("keys", keys, self.key_dtype), ("values", values, self.value_dtype)):
            if dtype is not None and tensor.dtype != dtype:
                raise argument_error(where, argument, f"a tensor of dtype {dtype}, as the table has", tensor, TypeError)


def _plain(tensor: Tensor) -> list[Any]:
    values = tensor.data_sync()
    return list(values) if tensor.dtype == "string" else values.tolist()
