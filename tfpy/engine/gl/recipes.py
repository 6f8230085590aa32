"""Recipes: how values of one structure are computed, determined once and cached.

Tracing is slow compared to a dispatch. So the values involved in a computation are listed by a simple walk. Two lists
with the same structures, and the same repetitions, are the same work on other values, and share a recipe.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import gt
from sys import maxsize
from typing import Any

from tfpy.engine.gl.memory_pool import Lease
from tfpy.engine.gl.templates import Fused, interned
from tfpy.engine.gl.trace import OWN, ROOT, Trace
from tfpy.engine.gl.value import Value
from tfpy.engine.references import ALONE, references

_MAX_RECIPES = 1 << 12


def involved(root: Value) -> tuple[list[Value], list[Any]]:
    """The fused expression below a value, breadth first, down to stored values and tasks: an entry for each use.

    And its key: for each entry, its structure, or the index of its first occurrence.
    """
    values: list[Value] = [root]
    work: list[Any] = []
    places: dict[Value, int] = {}
    for v in values:
        if v in places:
            work.append(places[v])
        else:
            places[v] = len(work)
            structure = v.structure
            work.append(structure)
            if structure.fuses:
                values += v.inputs
    return values, work


class Recipe:
    """How a value is computed. The values involved are identified by their first index in `involved`.

    Attributes:
        tasks: the values whose tasks have to be run first; the remaining work then has another recipe.
        base: the value of whose task the steps are the epilogue, or None.
        leaves: the values whose buffers are read.
        count: the number of parameters.
        steps: what is computed for each element.
        step: the last one, which computes the value itself.
        is_lookup: whether that only reads an element of another value.
        plain: the steps, with the value as their only result.
    """

    def __init__(self, values: Sequence[Value], epilogue: bool) -> None:
        root = values[0]
        trace = Trace(root.spec.size, epilogue)
        self.step = trace.value(root, ROOT)
        self.steps = tuple(trace.steps)
        self.count = trace.count
        self.is_lookup = self.steps[self.step][0] == "load"
        self.plain = interned(self.steps, ((self.step, root.spec.dtype),))
        places: dict[Value, int] = {}
        for place, v in enumerate(values):
            places.setdefault(v, place)
        self.tasks = [places[v] for v in trace.tasks]
        self.base = None if trace.base is None else places[trace.base]
        self.leaves = [places[v] for v in trace.leaves]
        self._sources = [(places[v], which) for v, which in trace.sources]
        self._root_counts = not epilogue
        self._seen = {places[v]: step for v, step in trace.seen if v is not root or self._root_counts}
        self._dtypes = {step: v.spec.dtype for v, step in trace.seen}
        self._most = [maxsize] * len(values)
        for place in self._seen:  # `values` has as many references to it as the inputs of the values computed with it
            self._most[place] = ALONE - 1 + 2 * sum(v is values[place] for v in values)

    def words(self, values: Sequence[Value]) -> list[int]:
        """The parameters."""
        words: list[int] = []
        for place, which in self._sources:
            v = values[place]
            words += v.words if which == OWN else v.maps[which].words  # type: ignore[index, union-attr]
        return words

    def extras(self, values: Sequence[Value]) -> list[int]:
        """The steps, besides the value's own, whose results are still needed, according to reference counts."""
        if not self._seen or not any(map(gt, references(values), self._most)):
            return []
        counts = list(references(values))
        found = dict.fromkeys([step for place, step in self._seen.items() if counts[place] > self._most[place]])
        return [step for step in found if step != self.step or self._root_counts]

    def fused(self, extras: Sequence[int]) -> Fused:
        """The fused operations of a shader that also stores the results of additional steps."""
        if not extras:
            return self.plain
        return interned(self.steps, (*self.plain.outputs, *[(step, self._dtypes[step]) for step in extras]))

    def settle(self, values: Sequence[Value], steps: Sequence[int], leases: Sequence[Lease]) -> None:
        """Store the results of steps in their values."""
        made = dict(zip(steps, leases, strict=True))
        for place, step in self._seen.items():
            if step in made:
                values[place].settle(made[step])


class Recipes(dict[tuple[Any, ...], Recipe]):
    """The recipes of a device's work."""

    def of(self, values: Sequence[Value], work: Sequence[Any], epilogue: bool) -> Recipe:
        """The recipe for the first of the values, which involves the others.

        Args:
            work: the key of the values, see `involved`.
            epilogue: the value is needed by a holder of it, and its steps may be the epilogue of another one's task.
                Otherwise a task needs it as an input, and it has to be stored if others need it.
        """
        key = (epilogue, *work)
        if values[0].structure.mapped:  # equal maps of one index are a single step, so it matters which are equal
            first: dict[Any, int] = {}
            key += tuple([first.setdefault(m, len(first)) for v in values if v.maps is not None for m in v.maps])
        recipe = self.get(key)
        if recipe is None:
            if len(self) >= _MAX_RECIPES:
                self.clear()
            recipe = self[key] = Recipe(values, epilogue)
        return recipe
