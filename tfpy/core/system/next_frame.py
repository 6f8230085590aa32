"""next_frame: letting other tasks run."""

from __future__ import annotations

from collections.abc import Awaitable

from tfpy.core.calling.ready import ReadyNone
from tfpy.core.calling.registry import op


@op(doc="Performance / Timing")
def next_frame() -> Awaitable[None]:
    """Let other tasks run; awaitable. Without an event loop there is nothing to wait for.

    Source: TF.js `tf.nextFrame`.
    """
    import asyncio  # here, since it takes a while to load

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return ReadyNone()
    return asyncio.sleep(0)
