"""Plans of backward passes: a cache keyed by the signatures of tapes.

A function that is differentiated repeatedly leaves tapes with the same signature: the same kernels on the same specs,
connected in the same way. Their gradient rules then run the same kernels. These are planned (`engine/plan.py`) when
the signature occurs for the second time; from then on the pass runs without rules and handles, and what depends on no
input is computed once. The kernels are the same, so the results are bit-identical.

It pays off where kernels run immediately and values are small, so that Python takes most of the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from itertools import count
from operator import attrgetter
from typing import Any, NamedTuple

from tfpy.engine.backend import Backend
from tfpy.engine.dispatch import wrap
from tfpy.engine.handle import Handle, share_of
from tfpy.engine.plan import Executor, Plan, Replays
from tfpy.engine.recording import recording_plan
from tfpy.engine.spec import Spec
from tfpy.engine.tape import Tape

_MAX_PASSES = 512  # in the cache
_MAX_BYTES = 1 << 26  # of the cache
_ENTRY_BYTES = 120  # memory per item of a key, which is kept, and of the plan
_SMALL_ELEMENTS = 1 << 16  # beyond this, kernels take longer than the Python between them

_size = attrgetter("size")

Gradients = dict[int, Handle]
"""Gradients by the ids of the sources that they are with respect to."""


class _Signature(NamedTuple):
    """What a tape's backward pass depends on.

    Attributes:
        key: tapes with equal keys have the same pass. Specs are represented by their identities.
        specs: these specs, which have to be kept as long as the key is.
        payloads: what the pass reads: the initial gradient, unless it is ones, and what the rules use, kernel by
            kernel.
    """

    key: tuple[Any, ...]
    specs: Sequence[Spec]
    payloads: list[Any]


class PlannedBackward:
    """An entry of the cache: the backward pass of a signature, and its plan once there is one.

    Attributes:
        specs: see `_Signature`.
        nbytes: an estimate of what is kept: the key, the plan, and one constant as large as the largest value.
        walks: how often a tape was walked back for it.
        plan: what the rules do, if it can be planned: a function of payloads such as those of a `_Signature`.
        results: the specs of the plan's results.
        places: for each source, which of these results is its gradient, or None if none flows.
    """

    __slots__ = ("nbytes", "places", "plan", "results", "specs", "walks")

    def __init__(self, signature: _Signature) -> None:
        self.specs = signature.specs
        self.nbytes = len(signature.key) * _ENTRY_BYTES + max([spec.nbytes for spec in signature.specs])
        self.walks = 0
        self.plan: Executor | None = None
        self.results: Sequence[Spec] = ()
        self.places: list[int | None] = []

    def replay(
        self, plan: Executor, payloads: Sequence[Any], sources: Sequence[Handle], backend: Backend, cls: type[Handle]
    ) -> Gradients:
        """The gradients that the plan computes from the payloads of a tape with this signature."""
        made = [wrap(cls, s, p, backend) for s, p in zip(self.results, plan(payloads), strict=True)]
        return {t.id: made[i] for t, i in zip(sources, self.places, strict=True) if i is not None}

    def record(
        self, backend: Replays, tape: Tape, weights: Handle | None, sources: Sequence[Handle],
        walk: Callable[[], Gradients],
    ) -> Gradients:  # fmt: skip
        """Walk the tape back, and make a plan of what its rules do, if there can be one."""
        inputs = _renewed(tape) if weights is None else [weights, *_renewed(tape)]
        found, recorder = recording_plan(walk, backend, inputs, ())
        results = {t.id: t for t in found.values()}
        plan = recorder.plan([*results.values()])
        if plan is not None and _is_simple(plan, inputs, results) and _are_apart([*inputs, *results.values()]):
            places = {ident: i for i, ident in enumerate(results)}
            self.places = [places[found[t.id].id] if t.id in found else None for t in sources]
            self.results = plan.specs
            self.plan = backend.compile(plan)
        return found


_passes: dict[tuple[Any, ...], PlannedBackward] = {}
"""The cache, by the keys of signatures."""


def planned_backward(
    tape: Tape, y: Handle, weights: Handle | None, sources: Sequence[Handle], wanted: tuple[Any, ...]
) -> tuple[PlannedBackward, list[Any]] | None:
    """A tape's cache entry, created if necessary, and what its pass reads; None if there can be no plan.

    Args:
        tape: the recording.
        y: the computed value.
        weights: the initial gradient; None means ones.
        sources: what the gradients are with respect to.
        wanted: the backend, and what else distinguishes passes.
    """
    signature = _signature_of(tape, y, weights, sources, wanted)
    backward = None if signature is None else _cached(signature)
    return None if signature is None or backward is None else (backward, signature.payloads)


def _renewed(tape: Tape) -> list[Handle]:
    """New handles for the saved values, one for each use, so that the recorder treats each use as a separate input.

    The nodes are copied, since other tapes may contain the old ones, too.
    """
    tape.nodes = [node.renewed() for node in tape.nodes]
    return [handle for node in tape.nodes for handle, _, _ in node.saved]


def _is_simple(plan: Plan, inputs: Sized, results: Sized) -> bool:
    """Whether a plan draws and assigns nothing, and returns no input unchanged."""
    alone = len(plan.inputs) == len(inputs) and len(plan.outputs) == len(results)
    return alone and len({*plan.inputs, *plan.outputs}) == len(inputs) + len(results)


def _are_apart(handles: Iterable[Handle]) -> bool:
    """Whether no two share data: a plan would return them as two that do not."""
    shares = [share for handle in handles if (share := share_of(handle)) is not None]
    return len({*shares}) == len(shares)


def _signature_of(
    tape: Tape, y: Handle, weights: Handle | None, sources: Sequence[Handle], wanted: tuple[Any, ...]
) -> _Signature | None:
    """A tape's signature; None if rules are not pure, or values are large or on other backends."""
    backend, *_ = wanted
    shape: list[Any] = [wanted, weights is None, type(tape.tracked)]
    specs = [y.spec if weights is None else weights.spec]
    ids = [y.id, *[source.id for source in sources]]
    saved = [] if weights is None else [(weights, weights.payload, weights.backend)]
    for node in tape.nodes:
        row = node.gradient
        if row is None or not row.pure:
            return None
        shape += (row, len(node.inputs))
        if node.attrs:  # equal values may differ (1 and true, 0 and -0), and so may those with equal strings
            shape += (repr(node.attrs), *node.attrs.values())
        specs += node.input_specs
        ids += node.inputs
        ids += node.outputs
        saved += node.saved
    payloads = [payload for _, payload, where in saved if where is backend]
    if max(map(_size, specs)) > _SMALL_ELEMENTS or len(payloads) != len(saved):
        return None
    return _Signature((*shape, *map(id, specs), *_pattern(ids)), specs, payloads)


def _pattern(ids: list[int]) -> Iterable[int]:
    """Which of these are equal: for each, the position of its first occurrence."""
    first: dict[int, int] = {}
    return map(first.setdefault, ids, count())


def _cached(signature: _Signature) -> PlannedBackward | None:
    """The entry of a signature, created if necessary; None if an attribute is not hashable."""
    try:
        return _passes.get(signature.key) or _added(signature)
    except TypeError:
        return None


def _added(signature: _Signature) -> PlannedBackward:
    added = PlannedBackward(signature)
    kept = sum([entry.nbytes for entry in [*_passes.values()]])
    if len(_passes) >= _MAX_PASSES or kept + added.nbytes > _MAX_BYTES:
        _passes.clear()
    _passes[signature.key] = added
    return added
