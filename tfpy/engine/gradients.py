"""Gradients: the rules of each kernel by which tapes are walked back. They are written with ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfpy.engine.dtypes import DType
from tfpy.engine.kernels import KERNELS, Kernel

Rule = Callable[[Any, Any], Any]


def symbolic_zero(dy: Any, node: Any) -> None:
    """The rule of an input whose gradient is 0 everywhere.

    Nothing is propagated, but the output counts as depending on the input: requesting this gradient is not an error.
    """


class GradientRow:
    """A kernel's gradient.

    Attributes:
        kernel: the kernel's row.
        saves: which inputs ('a', …) and outputs ('y': all of them) the rules use; only these are kept alive.
        slices: for each of `saves`, its slice of the inputs, or None for the outputs.
        in_order: for each input, the rule (dy, node) -> gradient, or None if no gradient flows, and whether it
            stands for several inputs.
        is_zero: for each of `in_order`, whether its rule is `symbolic_zero`, which is None there.
        joint: instead of individual rules, one that returns a sequence of gradients, one per input (None: no flow).
        pure: the rules run the same kernels whenever specs, attributes and the wanted gradients are the same.
    """

    __slots__ = ("_flows", "in_order", "is_zero", "joint", "kernel", "pure", "saves", "slices")

    def __init__(
        self,
        kernel: Kernel,
        saves: tuple[str, ...],
        rules: Mapping[str, Rule | None],
        joint: Rule | None,
        pure: bool = False,
    ) -> None:
        self.kernel = kernel
        self.saves = saves
        self.slices = [(name, _slice_of(kernel, name)) for name in saves]
        self.joint = joint
        self.pure = pure
        names = kernel.inputs if joint is None else ()
        given = [(rules[name.lstrip("*")], name[0] == "*") for name in names]
        self.is_zero = [rule is symbolic_zero for rule, _ in given]
        self.in_order = [(None if rule is symbolic_zero else rule, several) for rule, several in given]
        self._flows: dict[int, list[bool]] = {}

    def flows(self, count: int) -> list[bool]:
        """For each of `count` inputs, whether a gradient flows to it."""
        found = self._flows.get(count)
        if found is None:
            found = self._flows[count] = self._find_flows(count)
        return found

    def _find_flows(self, count: int) -> list[bool]:
        if self.joint is not None:
            return [True] * count
        return _for_all([rule is not None for rule, _ in self.in_order], count)

    def depends(self, count: int) -> list[bool]:
        """For each of `count` inputs, whether the output depends on it: a gradient flows to it, or it is 0."""
        flows = self.flows(count)
        return (
            flows
            if self.joint is not None
            else [a or b for a, b in zip(flows, _for_all(self.is_zero, count), strict=True)]
        )


def _for_all(flags: list[bool], count: int) -> list[bool]:
    """Flags for `count` inputs, where the last flag may stand for several."""
    return flags + flags[-1:] * (count - len(flags)) if flags else flags


def _slice_of(kernel: Kernel, name: str) -> slice | None:
    if name in kernel.inputs:
        place = kernel.inputs.index(name)
        return slice(place, place + 1)
    return None if name == "y" else slice(kernel.inputs.index("*" + name), None)


GRADIENTS: dict[str, GradientRow] = {}


class _UserGradients:
    """Tracks user-registered gradients, for plans.

    Attributes:
        changes: how often one was registered or removed: older plans contain the gradients from before.
        count: how many there are. Their code may do anything, so nothing is planned while there are any.
    """

    def __init__(self) -> None:
        self.changes = 0
        self.count = 0


user_gradients = _UserGradients()


def gradients_changed(count: int) -> None:
    """Invalidate all plans, since the user-registered gradients have changed; `count` is their number now."""
    user_gradients.changes += 1
    user_gradients.count = count


def gradient(kernel: str, *, saves: str = "", joint: Rule | None = None, **rules: Rule | None) -> None:
    """Set a kernel's gradient: a rule for each input, or one joint rule.

    Instead of a rule, None means that no gradient flows to the input, and `symbolic_zero` that it is 0.

    A rule is called with dy, the gradient of the output (a list for a kernel with several outputs), and the Node. It
    returns the gradient of its input, of the input's shape; for an input that stands for several ('*xs'), a list.
    """
    row = KERNELS[kernel]
    names = [name.lstrip("*") for name in row.inputs]
    saved = tuple(saves.split())
    for name in (*rules, *saved):
        if name not in names and not (name == "y" and name in saved):
            raise ValueError(f"gradient: kernel {kernel!r} has no input {name!r}; it has {', '.join(names)}.")
    if joint is None and set(rules) != set(names):
        raise ValueError(f"gradient: kernel {kernel!r} needs a rule, or None, for each of {', '.join(names)}.")
    if kernel in GRADIENTS:
        raise ValueError(f"gradient: kernel {kernel!r} already has one.")
    GRADIENTS[kernel] = GradientRow(row, saved, rules, joint, pure=True)


def gradient_dtype(dtype: DType) -> DType:
    """The dtype of gradients with respect to values of a dtype."""
    return "complex64" if dtype == "complex64" else "float32"


NOT_DIFFERENTIABLE: set[str] = set()


def no_gradient(*kernels: str) -> None:
    """Declare that kernels have no gradient: one of them on the way from x to y is an error."""
    for name in kernels:
        if name not in KERNELS or name in GRADIENTS:
            raise ValueError(f"no_gradient: {name!r} is not a kernel without a gradient.")
        NOT_DIFFERENTIABLE.add(name)
