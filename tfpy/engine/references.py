"""Counting references: whether anybody still refers to an object.

Python counts them anyway. So nobody has to say of a tensor that it is there, or of a result that has been put off that
it will be needed: who refers to it is known.

The rule: what is counted is taken from one place, a list or an attribute, and has ALONE where nothing else refers to
it. Each other reference is one more: that of another attribute or list, and of a name in a function that is still
running. So from where a payload is read to where it is counted it must not get a name: a local variable there changes
what is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from sys import getrefcount

references: Callable[[Iterable[object]], Iterator[int]] = partial(map, getrefcount)
"""references(items): how often each item of a list is referred to; each is counted when the iterator comes to it."""

ALONE = next(references([object()]))
"""The count of what one place alone refers to, as this Python has it."""
