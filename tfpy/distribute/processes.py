"""The processes started by `mpiexec`: their communication, and their common end."""

from __future__ import annotations

import atexit
import functools
import os
import sys
import time
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from tfpy.core.calling.registry import export
from tfpy.core.system.extras import optional_module
from tfpy.distribute.coordinator import Coordinator
from tfpy.distribute.ranks import Ranks
from tfpy.engine.machine import share_gpus

# How long to wait, in seconds, until the last output of all processes has reached the terminal.
_FLUSH_SECONDS = 0.3


class MpiGroup:
    """All processes, communicating through MPI, separately from other users of MPI."""

    def __init__(self, module: Any) -> None:
        self._world = module.COMM_WORLD
        self._all = self._world.Dup()
        self.rank: int = self._all.Get_rank()
        self.size: int = self._all.Get_size()
        # The number of this process among those of its machine.
        self.local_rank: int = self._all.Split_type(module.COMM_TYPE_SHARED).Get_rank()

    def gather(self, value: Any) -> list[Any]:
        """An all-gather: the values of all processes, by rank."""
        found: list[Any] = self._all.allgather(value)
        return found

    def broadcast(self, value: Any) -> Any:
        """The value of the first process."""
        return self._all.bcast(value, root=0)

    def sum(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The sum of the arrays of all processes, with the same bits everywhere, as MPI guarantees for an Allreduce."""
        total = np.empty_like(array)
        self._all.Allreduce(array, total)
        return total

    def abort(self) -> None:
        """End all processes."""
        sys.stdout.flush()
        sys.stderr.flush()
        time.sleep(_FLUSH_SECONDS)
        self._world.Abort(1)


@export(namespace="distribute", doc="Distribution")
def mpi() -> Ranks:
    """The processes of a program started by `mpiexec -n 4 python train.py`.

    `compile(…, distribute=tf.distribute.mpi())` trains a model in all of them: each computes a part of every batch.
    Call it before drawing any random numbers: from then on, unseeded streams are the same in all processes. If a
    machine has several GPUs, they are assigned to its processes in turn, unless one has been used before. An error that
    ends one process ends all of them. It needs the extra `mpi` of tfpy.

    Returns:
        The processes; a single one if the program was not started by `mpiexec`.

    Raises:
        ImportError: the package mpi4py, or an MPI library, is not installed.
        RuntimeError: the program was started by the `mpiexec` of another MPI than the one that mpi4py uses.

    Source: beyond TF.js.
    """
    return _ranks()


@functools.cache
def _ranks() -> Ranks:
    group = MpiGroup(optional_module("mpi4py.MPI", "mpi", "tf.distribute.mpi"))
    _check_launcher(group.size)
    coordinator = Coordinator(group)
    if group.size > 1:
        share_gpus(group.local_rank)
        coordinator.broadcast_random_numbers()
        _end_together(group, coordinator)
    return Ranks(coordinator, mpi)


def _check_launcher(size: int) -> None:
    """Raise RuntimeError if `mpiexec` has started several processes, as the environment says, but MPI sees one."""
    started = os.environ.get("OMPI_COMM_WORLD_SIZE") or os.environ.get("PMI_SIZE") or "1"
    if size == 1 and started != "1":
        raise RuntimeError(
            f"tf.distribute.mpi: {started} processes were started, but mpi4py sees one: mpiexec belongs to another MPI "
            "than mpi4py. Use the one that `pip install 'tfpy[mpi]'` installs next to python."
        )


def _end_together(group: MpiGroup, coordinator: Coordinator) -> None:
    """Make sure that no process waits for one that has failed or ended."""
    original_hook = sys.excepthook

    def fail(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        original_hook(kind, error, trace)
        print(f"tfpy: the process of rank {group.rank} has failed, and ends the others.", file=sys.stderr)
        group.abort()

    def leave() -> None:
        try:
            coordinator.gather_at("the end of the program")
        except RuntimeError as error:
            print(f"tfpy: {error}", file=sys.stderr)
            group.abort()

    sys.excepthook = fail
    atexit.register(leave)
