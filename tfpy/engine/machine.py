"""The share of this process in its machine: the number of shards that it cuts work into, and its GPU.

Upper layers say so here, and the backends look here.
"""

from __future__ import annotations

import os


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _wanted() -> int:
    given = os.environ.get("TFPY_SHARDS") or _cores()
    try:
        return max(1, int(given))
    except ValueError:
        raise ValueError(f"The variable TFPY_SHARDS must be a whole number, but is {given!r}.") from None


class _Share:
    """This process's share of the machine.

    Attributes:
        shards: into how many shards a batch is cut at most.
        shards_at_first: the same, before anybody says so.
        gpu: the number of the GPU that it takes if none is asked for, counted around.
    """

    def __init__(self) -> None:
        self.shards = self.shards_at_first = _wanted()
        self.gpu = 0


share = _Share()


def most_shards() -> int:
    """How many shards a batch is cut into at most."""
    return share.shards


def set_most_shards(count: int) -> None:
    """Set the largest number of shards of a batch; 1 keeps all work on one core, 0 restores the number at the start."""
    share.shards = max(1, count or share.shards_at_first)


def gpu_turn() -> int:
    """The number of the GPU that this process takes if none is asked for, modulo how many there are."""
    return share.gpu


def share_gpus(turn: int) -> None:
    """Deal out the GPUs round-robin: `turn` is the number of this process on its machine."""
    share.gpu = turn
