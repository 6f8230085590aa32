"""What this process takes of its machine: into how many shards it cuts work, and which GPU it uses.

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


_at_first = _wanted()
_most = _at_first
_turn = 0


def most_shards() -> int:
    """How many shards a batch is cut into at most."""
    return _most


def set_most_shards(count: int) -> None:
    """Cut batches into at most so many shards; 1 keeps all work on one core, 0 is the number at the start."""
    global _most
    _most = max(1, count or _at_first)


def gpu_turn() -> int:
    """The number of the GPU that this process takes if none is asked for, counted around."""
    return _turn


def share_gpus(turn: int) -> None:
    """Have this process, the one of that number on its machine, take another GPU than those before it, in turns."""
    global _turn
    _turn = turn
