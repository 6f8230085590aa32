"""Counting references: whether anything else still refers to an object.

Python counts them anyway. So tensors need not be registered, and deferred results need not be marked as needed: their
reference counts tell.

The rule: the counted object is taken from one place, a list or an attribute, and its count is ALONE if nothing else
refers to it. Every other reference adds one: another attribute or list, or a local variable of a function that is still
running. So between reading a payload and counting its references, it must not be bound to a name: a local variable
would change the count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from sys import getrefcount

references: Callable[[Iterable[object]], Iterator[int]] = partial(map, getrefcount)
"""references(items): the reference count of each item of a list, read when the iterator reaches it."""

ALONE = next(references([object()]))
"""The reference count, in this version of Python, of an object that only one place refers to."""
