"""ProcessLock: reentrant within a thread, and replaced in forked processes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tfpy.engine.locks import ProcessLock

HELD_AT_A_FORK = """
import os, threading
from tfpy.engine.backend import registry
from tfpy.engine.cpu import lazy
from tfpy.core import variable
from tfpy.layers import naming

locks = [registry._making, lazy._lock, variable._naming, naming._lock]
inside, done = threading.Event(), threading.Event()


def hold():
    with locks[0](), locks[1](), locks[2](), locks[3]():
        inside.set()
        done.wait()


threading.Thread(target=hold, daemon=True).start()
inside.wait()
assert not any(lock().acquire(blocking=False) for lock in locks)
child = os.fork()
if not child:
    os._exit(0 if all(lock().acquire(blocking=False) for lock in locks) else 3)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_lock_is_reentrant() -> None:
    lock = ProcessLock()
    with lock(), lock():
        assert lock().acquire(blocking=False)
        lock().release()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_forked_process_has_new_locks() -> None:
    command = [sys.executable, "-W", "ignore", "-c", HELD_AT_A_FORK]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr
