"""This process's share of the machine: the number of shards that it splits work into, and its GPU.

Upper layers set it here, and the backends read it here.
"""

from __future__ import annotations

import functools
import os


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@functools.cache
def _initial_shards() -> int:
    """The number that the environment says; read at the first use, so that a wrong one does not prevent the import."""
    given = os.environ.get("TFPY_SHARDS") or _cores()
    try:
        return max(1, int(given))
    except ValueError:
        raise ValueError(f"The variable TFPY_SHARDS must be a whole number, but is {given!r}.") from None


class _Share:
    """This process's share of the machine.

    Attributes:
        shards: the maximum number of shards of a batch; None for the initial one.
        gpu: the number of the GPU to use if none is requested, modulo their count.
    """

    def __init__(self) -> None:
        self.shards: int | None = None
        self.gpu = 0


share = _Share()


def most_shards() -> int:
    """The maximum number of shards of a batch.

    Raises:
        ValueError: the environment says something else than a number.
    """
    return _initial_shards() if share.shards is None else share.shards


def set_most_shards(count: int) -> None:
    """Set the maximum number of shards of a batch; 1 keeps all work on one core, 0 restores the initial number."""
    share.shards = max(1, count) if count else None


def gpu_turn() -> int:
    """The number of the GPU that this process uses if none is requested, modulo their count."""
    return share.gpu


def share_gpus(turn: int) -> None:
    """Assign the GPUs round-robin: `turn` is the number of this process on its machine."""
    share.gpu = turn
