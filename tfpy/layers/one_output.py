"""Layers that return one tensor, as declared to type checkers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from tfpy.core.tensor import Tensor
from tfpy.layers.base import Layer
from tfpy.layers.symbolic import SymbolicTensor


class OneOutput(Layer):
    """A layer that always returns one tensor, so that type checkers know the result of `apply`."""

    if TYPE_CHECKING:

        @overload
        def apply(
            self,
            inputs: SymbolicTensor | Sequence[SymbolicTensor],
            kwargs: Mapping[str, Any] | None = None,
            **keywords: Any,
        ) -> SymbolicTensor: ...

        @overload
        def apply(self, inputs: Any, kwargs: Mapping[str, Any] | None = None, **keywords: Any) -> Tensor: ...

        def apply(self, inputs: Any, kwargs: Mapping[str, Any] | None = None, **keywords: Any) -> Any: ...

        __call__ = apply
