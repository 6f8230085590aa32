"""Reading elements by index, or by position among the flat values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy.engine.arguments import as_element_index, as_int, as_int_or_ints
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle, check_live
from tfpy.legacy.arrays._camel import ElementAccessCamel
from tfpy.legacy.arrays.values import ShapeLike


class ElementAccess(ElementAccessCamel, Handle):
    """Base of arrays and variables: access to elements by index. Subclasses define `get`."""

    __slots__ = ()

    if TYPE_CHECKING:

        def get(self, *locs: int) -> Any: ...

    async def val(self, *locs: int) -> Any:
        """`get`, to be awaited."""
        return self.get(*locs)

    def loc_to_index(self, locs: ShapeLike) -> int:
        """The flat index of a location."""
        check_live(self, "loc_to_index")
        return self._offset("loc_to_index", as_int_or_ints("loc_to_index", "locs", locs))

    def index_to_loc(self, index: int) -> list[int]:
        """The location of a flat index."""
        check_live(self, "index_to_loc")
        at = as_int("index_to_loc", "index", index)
        if not 0 <= at < self.spec.size:
            raise argument_error("index_to_loc", "index", f"from 0 to {self.spec.size - 1}", index)
        return [int(i) for i in np.unravel_index(at, self.spec.shape)]

    def _element_offset(self, op: str, locs: tuple[int, ...]) -> int:
        """The flat index of the element to read: without indices, the first."""
        if locs or not self.spec.size:
            return self._offset(op, locs)
        return 0

    def _offset(self, op: str, locs: tuple[int, ...]) -> int:
        shape = self.spec.shape
        if not shape and not any(locs):  # a scalar accepts index 0 too: deeplearn.js does not check its indices
            return 0
        return as_element_index(op, "locs", locs, shape)
