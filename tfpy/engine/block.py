"""Blocks: scopes as context managers, for the `with` statements of the faces."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from tfpy.engine.scope import Scope, leave_scope, open_block


class Block:
    """A `with` block that disposes what was created inside, except what is assigned to `result`, unless it raises.

    A block with an `await` in it disposes nothing, since it cannot distinguish its tensors from other tasks' tensors.

    Attributes:
        result: tensors that outlive the block, in any nesting of lists and dicts.
        name: the block's name in messages.
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
        for opened in getattr(self, "_opened", ()):  # an interrupt preempted `__exit__` or `__init__`
            self._leave(opened, None)

    def _leave(self, scope: Scope, result: Any) -> None:
        leave_scope(scope, result)
