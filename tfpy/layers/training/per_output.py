"""Arguments with a value for each output of a model, by output name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfpy.engine.errors import unknown_name_error


def by_output(
    where: str, argument: str, given: Mapping[str, Any], names: Sequence[str], default: Any = None
) -> list[Any]:
    """The entries of a dict for each output, in their order.

    Args:
        where: the method, for messages.
        argument: the name of its argument.
        given: the dict.
        names: the names of the outputs.
        default: the entry of an output that the dict leaves out.

    Raises:
        ValueError: it has an entry for an output that does not exist.
    """
    for name in given:
        if name not in names:
            raise unknown_name_error(f"output in {argument}", name, names, where=where)
    return [given.get(name, default) for name in names]
