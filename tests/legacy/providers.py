"""Input providers with a fixed order for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy import legacy as dl
from tfpy.engine.handle import Handle


class InOrder:
    """Provides the examples of a list in order, repeatedly."""

    def __init__(self, examples: Sequence[Any]) -> None:
        self.examples = [e if isinstance(e, Handle) else array(e) for e in examples]
        self.taken = 0
        self.out: list[Handle] = []

    def get_next_copy(self, math: Any) -> Handle:
        example = self.examples[self.taken % len(self.examples)]
        self.taken += 1
        copy = math.clone(example)
        self.out.append(copy)
        return copy  # type: ignore[no-any-return]

    def dispose_copy(self, math: Any, copy: Handle) -> None:
        self.out.remove(copy)
        copy.dispose()


def array(values: Any) -> dl.NDArray:
    """Create an NDArray from nested lists."""
    a = np.asarray(values, dtype=np.float32)
    return dl.NDArray.make(a.shape, {"values": a})


def feeds(*pairs: tuple[dl.Tensor, Sequence[Any]]) -> list[dict[str, Any]]:
    """Create feed entries from lists of examples."""
    return [{"tensor": tensor, "data": InOrder(examples)} for tensor, examples in pairs]
