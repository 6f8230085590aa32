"""Properties of tensors, and of the arrays of the older API, that do not depend on their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfpy.core._camel import TensorPropertiesCamel
from tfpy.engine.handle import Handle
from tfpy.engine.spec import Shape

if TYPE_CHECKING:
    from tfpy.engine.dtypes import DType  # only here: jedi, which completes names in notebooks, fails on a Literal


class TensorProperties(TensorPropertiesCamel, Handle):
    """Properties of a handle's spec, and whether it is alive."""

    __slots__ = ()

    @property
    def shape(self) -> Shape:
        """The size of each dimension."""
        return self.spec.shape

    @property
    def dtype(self) -> DType:
        """'float32', 'int32' or 'bool'; for tensors also 'string' or 'complex64'."""
        return self.spec.dtype

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.spec.shape)

    @property
    def rank_type(self) -> str:
        """The rank as text; 'higher' above 4."""
        return str(self.rank) if self.rank < 5 else "higher"

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.spec.size

    @property
    def is_disposed(self) -> bool:
        """Whether the data has been freed."""
        return self.backend is None
