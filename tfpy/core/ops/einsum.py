"""Products of tensors summed over named axes, written in Einstein notation."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import cast_to, reshape_to, sum_over
from tfpy.core.ops.matmul import multiply_matrices
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import current
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.engine.spec import upcast


@op(doc="Tensors / Matrices")
def einsum(equation: str, *tensors: TensorLike) -> Tensor:
    """The product of tensors, summed over the axes that the result does not name.

    Args:
        equation: a letter for each axis of each tensor, and for each axis of the result: 'ij,jk->ik' is the product of
            two matrices. Axes with the same letter have the same size. Spaces are ignored.
        tensors: as many tensors as the equation has terms before the arrow.

    Returns:
        A tensor of the widest dtype among them.

    Raises:
        ValueError: an equation without an arrow or with an ellipsis, a letter repeated within a term or the result or
            that only the result has, or tensors that do not fit the equation. TypeError: string tensors, or no text.

    Source: TF.js `tf.einsum`, which takes two tensors at most. Its gradient is beyond TF.js.
    """
    if not isinstance(equation, str):
        raise argument_error("einsum", "equation", "text", equation, TypeError)
    terms, result = _parsed(equation, len(tensors))
    operands = _operands(terms, tensors)
    if len(operands) == 1:
        operands = [run("Identity", operands[0])]
    if current().in_steps:
        return _in_steps(operands, terms, result)
    out, labels = operands[0], terms[0]
    for i in range(1, len(terms)):
        needed = set(result).union(*terms[i + 1 :])
        out, labels = _product(out, labels, operands[i], terms[i], needed)
    return _arranged(*_summed(out, labels, set(result)), result)


def _parsed(equation: str, count: int) -> tuple[list[str], str]:
    """The letters of each term and of the result."""
    text = "".join(equation.split())
    if text.count("->") != 1 or "." in text:
        raise argument_error("einsum", "equation", "terms without an ellipsis, one '->' and a result", equation)
    left, result = text.split("->")
    terms = left.split(",")
    if len(terms) != count:
        raise argument_error(
            "einsum", "tensors", f"{len(terms)} tensors, as many as terms", Unquoted(f"{count} tensors")
        )
    for term in (*terms, result):
        if len(set(term)) != len(term):
            raise argument_error("einsum", "equation", "without a letter twice in one term", equation)
    unknown = set(result) - set("".join(terms))
    if unknown:
        raise argument_error("einsum", "equation", "without a letter that only the result has", equation)
    return terms, result


def _operands(terms: Sequence[str], values: Sequence[TensorLike]) -> list[Tensor]:
    """The tensors, checked against their terms and in one dtype."""
    tensors = [to_tensor("einsum", f"tensors[{i}]", value) for i, value in enumerate(values)]
    sizes: dict[str, int] = {}
    dtype = tensors[0].dtype
    for i, (term, t) in enumerate(zip(terms, tensors, strict=True)):
        dtype = upcast(dtype, t.dtype)
        if len(term) != t.rank:
            raise argument_error("einsum", f"tensors[{i}]", f"of rank {len(term)}, for the term {term!r}", t)
        for label, size in zip(term, t.shape, strict=True):
            if sizes.setdefault(label, size) != size:
                raise argument_error("einsum", f"tensors[{i}]", f"of size {sizes[label]} in axis {label!r}", t)
    return [cast_to(t, "int32" if dtype == "bool" else dtype) for t in tensors]


def _in_steps(operands: Sequence[Tensor], terms: Sequence[str], result: str) -> Tensor:
    """As TF.js computes it: the products of the elements, summed over one letter after the other."""
    order = "".join(dict.fromkeys(result + "".join(terms)))
    product, *others = (_with_all(t, term, order) for t, term in zip(operands, terms, strict=True))
    for other in others:
        product = run("Multiply", other, product)
    for _ in order[len(result) :]:
        product = sum_over(product, (len(result),))
    return product


def _with_all(t: Tensor, labels: str, order: str) -> Tensor:
    """A tensor with its letters in that order, and axes of size 1 for those that it lacks."""
    sizes = dict(zip(labels, t.shape, strict=True))
    arranged = _arranged(t, labels, "".join(label for label in order if label in sizes))
    return reshape_to(arranged, tuple(sizes.get(label, 1) for label in order))


def _product(a: Tensor, in_a: str, b: Tensor, in_b: str, needed: set[str]) -> tuple[Tensor, str]:
    """The product of two tensors, summed over the letters that nothing else needs."""
    a, in_a = _summed(a, in_a, needed | set(in_b))
    b, in_b = _summed(b, in_b, needed | set(in_a))
    both = [label for label in in_a if label in in_b]
    batch = "".join(label for label in both if label in needed)
    inner = "".join(label for label in both if label not in needed)
    rows = "".join(label for label in in_a if label not in both)
    columns = "".join(label for label in in_b if label not in both)
    left, right = _arranged(a, in_a, batch + rows + inner), _arranged(b, in_b, batch + inner + columns)
    m, n = len(batch), len(batch) + len(inner)
    lead, middle, tail = left.shape[:m], left.shape[m : m + len(rows)], right.shape[n:]
    if inner:
        depth = math.prod(right.shape[m:n])
        x = reshape_to(left, (math.prod(lead), math.prod(middle), depth))
        y = reshape_to(right, (math.prod(lead), depth, math.prod(tail)))
        return reshape_to(multiply_matrices(x, y), (*lead, *middle, *tail)), batch + rows + columns
    x = reshape_to(left, (*lead, *middle, *[1] * len(tail)))
    y = reshape_to(right, (*lead, *[1] * len(middle), *tail))
    return run("Multiply", x, y), batch + rows + columns


def _summed(t: Tensor, labels: str, kept: set[str]) -> tuple[Tensor, str]:
    """A tensor summed over the letters that are not kept, and the remaining letters."""
    axes = tuple(i for i, label in enumerate(labels) if label not in kept)
    return (sum_over(t, axes) if axes else t), "".join(label for label in labels if label in kept)


def _arranged(t: Tensor, labels: str, order: str) -> Tensor:
    """A tensor with its letters in another order."""
    return t if labels == order else run("Transpose", t, perm=tuple(labels.index(label) for label in order))
