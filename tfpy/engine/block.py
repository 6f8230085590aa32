"""Blocks: scopes as context managers, for the `with` statements of the faces."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from tfpy.engine.scope import Scope, leave_scope, open_block


class Block:
    """A `with` that disposes what was made inside, save what is assigned to `result`, unless the block fails.

    A block with an `await` in it disposes nothing, since it cannot tell its tensors from those of other tasks.

    Attributes:
        result: tensors that live on, in any nesting of lists and dicts.
        name: what the block is called in messages.
    """

    name: ClassVar[str]

    def __init__(self) -> None:
        self.result: Any = None
        self._opened: list[Scope] = []

    def __enter__(self) -> Self:
        opened = Scope(self.name)
        try:
            open_block(opened)
            self._opened.append(opened)
        except BaseException:  # an interrupt: `__exit__` will not be called
            self._leave(opened, None)
            raise
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        self._leave(self._opened[-1], self.result if error is None else None)
        self._opened.pop()

    def __del__(self) -> None:
        for opened in getattr(self, "_opened", ()):  # an interrupt came in the place of `__exit__`, or of `__init__`
            self._leave(opened, None)

    def _leave(self, scope: Scope, result: Any) -> None:
        leave_scope(scope, result)
