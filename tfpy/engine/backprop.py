"""From a tape to gradients: by walking it back, or by a plan where the same way has been walked before.

A function that is differentiated again and again leaves tapes that look alike: the same kernels on the same specs,
connected in the same way. The rules of their gradients run the same kernels then. These are planned (`engine/plan.py`)
when such a tape comes by for the second time; from then on neither rules nor handles are in the way, and what depends
on no input is computed once. The kernels are the same, and so are the bits.

It pays where kernels run at once and values are small, so that most of the time goes to Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from operator import attrgetter
from typing import Any, NamedTuple

from tfpy.engine.backend import current
from tfpy.engine.dispatch import wrap
from tfpy.engine.handle import Handle, share_of
from tfpy.engine.plan import Executor, Plan, may_plan, recording_plan
from tfpy.engine.spec import Spec
from tfpy.engine.tape import Tape
from tfpy.engine.walk import walk_back

_MOST_WAYS = 512
_MOST_BYTES = 1 << 26  # of what is kept of ways
_ENTRY_BYTES = 120  # so many go with an entry of a key, which is kept, and of the plan
_SMALL = 1 << 16  # elements; with more of them the kernels take longer than the Python between them


class _Look(NamedTuple):
    """What a tape looks like.

    Attributes:
        key: what tells its way back from others. Specs have their identities there.
        specs: these; they have to be held as long as the key is.
        payloads: of the gradient to begin with, unless it is ones, and of what the rules use, kernel by kernel.
    """

    key: tuple[Any, ...]
    specs: Sequence[Spec]
    payloads: list[Any]


class _Walked:
    """A way back that was walked.

    Attributes:
        specs: see `_Look`.
        nbytes: of what is kept, about: the key, the plan, and one constant as large as the largest value.
        walks: how often it was walked.
        plan: what the rules do, if it can be planned: from payloads as those of a `_Look`.
        results: the specs of what the plan gives.
        places: for each source which of these is its gradient, or None where none flows.
    """

    __slots__ = ("nbytes", "places", "plan", "results", "specs", "walks")

    def __init__(self, look: _Look) -> None:
        self.specs = look.specs
        self.nbytes = len(look.key) * _ENTRY_BYTES + max([spec.nbytes for spec in look.specs])
        self.walks = 0
        self.plan: Executor | None = None
        self.results: Sequence[Spec] = ()
        self.places: list[int | None] = []


_size = attrgetter("size")

Gradients = dict[int, Handle]
Start = Handle | Callable[[], Handle]

_ways: dict[tuple[Any, ...], _Walked] = {}


def backprop(
    tape: Tape,
    y: Handle,
    start: Start,
    sources: Iterable[Handle],
    cls: type[Handle],
    *,
    all_of_them: bool = False,
) -> Gradients:
    """The gradients by those of the sources that are reached from y, by id. The tape is used up.

    Args:
        tape: what was recorded.
        y: what was computed.
        start: the gradient to begin with; or what makes ones, which a plan does not need again.
        sources: what the gradients are wanted by.
        cls: what the gradients are made as.
        all_of_them: whether a source that is not reached is an error.

    Raises:
        GradientError: a kernel between the sources and y has no gradient. Unreached: a source is not reached.
        RuntimeError: a gradient rule gave a gradient of another shape or dtype than its input.
    """
    sources = list(sources)
    weights = start if isinstance(start, Handle) else None

    def walk() -> Gradients:
        dy = start if isinstance(start, Handle) else start()
        return walk_back(tape, y, dy, sources, cls, all_of_them)

    backend = current()
    if not (may_plan(backend) and backend.immediate):
        return walk()
    look = _look(tape, y, weights, sources, (backend, cls, all_of_them))
    way = None if look is None else _way(look)
    if look is None or way is None:
        return walk()
    if way.plan is not None:
        tape.nodes = []
        made = [wrap(cls, s, p, backend) for s, p in zip(way.results, way.plan(look.payloads), strict=True)]
        return {t.id: made[i] for t, i in zip(sources, way.places, strict=True) if i is not None}
    way.walks += 1
    if way.walks != 2:
        return walk()
    inputs = _renewed(tape) if weights is None else [weights, *_renewed(tape)]
    with recording_plan(backend, inputs, ()) as recorder:
        found = walk()
    results = {t.id: t for t in found.values()}
    plan = recorder.plan([*results.values()])
    if plan is not None and _is_simple(plan, len(inputs), len(results)) and _are_apart([*inputs, *results.values()]):
        places = {ident: i for i, ident in enumerate(results)}
        way.places = [places[found[t.id].id] if t.id in found else None for t in sources]
        way.results = plan.specs
        way.plan = backend.compile(plan)
    return found


def _renewed(tape: Tape) -> list[Handle]:
    """New handles for what was saved, one for each time: so that a plan takes none of them for another one.

    The nodes are renewed with them: other tapes may have the old ones, too.
    """
    tape.nodes = [node.renewed() for node in tape.nodes]
    return [handle for node in tape.nodes for handle, _, _ in node.saved]


def _is_simple(plan: Plan, inputs: int, results: int) -> bool:
    """Whether a plan draws and assigns nothing, and gives nothing back as it is."""
    alone = len(plan.inputs) == inputs and len(plan.outputs) == results
    return alone and len({*plan.inputs, *plan.outputs}) == inputs + results


def _are_apart(handles: Iterable[Handle]) -> bool:
    """Whether each has data of its own: of two that share theirs, a plan makes two that do not."""
    shares = [share for handle in handles if (share := share_of(handle)) is not None]
    return len({*shares}) == len(shares)


def _look(
    tape: Tape, y: Handle, weights: Handle | None, sources: Sequence[Handle], wanted: tuple[Any, ...]
) -> _Look | None:
    """What a tape looks like; None where rules may do what they like, values are large, or lie on other backends."""
    backend, *_ = wanted
    shape: list[Any] = [wanted, weights is None, type(tape.tracked)]
    specs = [y.spec if weights is None else weights.spec]
    ids = [y.id, *[source.id for source in sources]]
    saved = [] if weights is None else [(weights, weights.payload, weights.backend)]
    for node in tape.nodes:
        row = node.row
        if row is None or not row.pure:
            return None
        shape += (row, len(node.inputs))
        if node.attrs:  # equal values may differ (1 and true, 0 and -0), and so may those with equal texts
            shape += (repr(node.attrs), *node.attrs.values())
        specs += node.input_specs
        ids += node.inputs
        ids += node.outputs
        saved += node.saved
    payloads = [payload for _, payload, where in saved if where is backend]
    if max(map(_size, specs)) > _SMALL or len(payloads) != len(saved):
        return None
    return _Look((*shape, *map(id, specs), *_pattern(ids)), specs, payloads)


def _pattern(ids: list[int]) -> Iterable[int]:
    """Which of these are equal: for each where it comes first."""
    first: dict[int, int] = {}
    return map(first.setdefault, ids, count())


def _way(look: _Look) -> _Walked | None:
    """The way back of tapes that look so; None where an attribute has no hash, so that nobody can tell."""
    try:
        return _ways.get(look.key) or _remember(look)
    except TypeError:
        return None


def _remember(look: _Look) -> _Walked:
    way = _Walked(look)
    if len(_ways) >= _MOST_WAYS or sum([w.nbytes for w in [*_ways.values()]]) + way.nbytes > _MOST_BYTES:
        _ways.clear()
    _ways[look.key] = way
    return way
