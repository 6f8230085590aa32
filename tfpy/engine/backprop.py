"""From a tape to gradients: by a backward pass over it, or by a cached plan of that pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tfpy.engine.backend import current
from tfpy.engine.backward_cache import Gradients, planned_backward
from tfpy.engine.backward_pass import backward_pass
from tfpy.engine.handle import Handle
from tfpy.engine.plan import may_plan
from tfpy.engine.tape import Tape

Start = Handle | Callable[[], Handle]


def backprop(
    tape: Tape,
    y: Handle,
    start: Start,
    sources: Iterable[Handle],
    cls: type[Handle],
    *,
    all_of_them: bool = False,
) -> Gradients:
    """The gradients with respect to the sources that are reached from y, by id. The tape is consumed.

    Args:
        tape: the recording.
        y: the computed value.
        start: the initial gradient; or a function that creates ones, which a plan does not need again.
        sources: what the gradients are with respect to.
        cls: the class of the gradients.
        all_of_them: whether a source that is not reached is an error.

    Raises:
        GradientError: a kernel between the sources and y has no gradient. UnreachedError: a source is not reached.
        RuntimeError: a gradient rule returned a gradient of another shape or dtype than its input.
    """
    sources = list(sources)
    weights = start if isinstance(start, Handle) else None

    def walk() -> Gradients:
        dy = start if isinstance(start, Handle) else start()
        return backward_pass(tape, y, dy, sources, cls, all_of_them)

    backend = current()
    if not (may_plan(backend) and backend.immediate):
        return walk()
    known = planned_backward(tape, y, weights, sources, (backend, cls, all_of_them))
    if known is None:
        return walk()
    backward, payloads = known
    if backward.plan is not None:
        tape.nodes = []
        return backward.replay(backward.plan, payloads, sources, backend, cls)
    backward.walks += 1
    return backward.record(backend, tape, weights, sources, walk) if backward.walks == 2 else walk()
