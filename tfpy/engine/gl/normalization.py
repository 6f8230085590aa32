"""Normalization and moments, composed of reductions and elementwise operations, which are fused with each other."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.engine.gl import maps
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.elementwise import broadcast
from tfpy.engine.gl.fusion import ensure, fuse, view
from tfpy.engine.gl.maps import Dimension
from tfpy.engine.gl.table import KERNELS, Attrs
from tfpy.engine.gl.trace import Expression
from tfpy.engine.gl.value import Value, float_bits
from tfpy.engine.gl.window_reduction import Accumulation, CellView, over_cells
from tfpy.engine.spec import Spec, are_first, reduced_shape, spec

Values = tuple[Value, ...]

_MANY_PER_CHANNEL = 64

_INVERSE = "m_div(1., m_sqrt({2} + {p}))"
_NORMALIZED = Expression("({0} - {1}) * m_div({4}, m_sqrt({2} + {p})) + {3}", "float32", ("float32",))
_FACTOR = Expression("m_div({1}, m_sqrt({0} + {p}))", "float32", ("float32",))
_SCALED = Expression("({0} - {1}) * {3} + {2}", "float32")
_CENTERED = Expression(f"({{0}} - {{1}}) * {_INVERSE}", "float32", ("float32",))
# Of x̂, g, the variance, and the sums of g and of g · x̂; q is one by the number of elements that were summed.
_BACK = Expression(f"{_INVERSE} * ({{1}} - {{3}} * {{q}} - {{0}} * ({{4}} * {{q}}))", "float32", ("float32", "float32"))


def _elementwise(device: Device, out: Spec, expression: Expression, values: Values, words: Sequence[int] = ()) -> Value:
    return fuse(device, out, expression, values, broadcast(values, out), words)


def _normalize(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    if out.dtype != "float32":
        return None
    return _elementwise(device, out, _NORMALIZED, values, (float_bits(attrs["variance_epsilon"]),))


def _batch_norm(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    """What a channel is multiplied by is computed once, not for each of its elements, if these are many.

    A division and a root for each took a tenth of the time of a ResNet-50's prediction on an NVIDIA H200, and a fifth
    of the time that its shaders take to compile.
    """
    x, mean, variance, offset, scale = values
    if (
        out.dtype != "float32"
        or scale.spec.size != variance.spec.size
        or out.size < _MANY_PER_CHANNEL * scale.spec.size
    ):
        return _normalize(device, values, attrs, out)
    factor = fuse(device, scale.spec, _FACTOR, (variance, scale), None, (float_bits(attrs["variance_epsilon"]),))
    ensure(device, factor)
    return _elementwise(device, out, _SCALED, (x, mean, offset, factor))


def _moments(device: Device, values: Values, attrs: Attrs, outs: Sequence[Spec]) -> list[Value] | None:
    x, out = values[0], outs[0]
    if out.dtype != "float32":
        return None
    reduction = {"axes": attrs["axes"], "keep_dims": True}
    mean = KERNELS["Mean"](device, (x,), reduction, out)
    apart = KERNELS["SquaredDifference"](device, (x, mean), {}, x.spec)
    return [mean, KERNELS["Mean"](device, (apart,), reduction, out)]


def _normalize_grad(device: Device, values: Values, attrs: Attrs, outs: Sequence[Spec]) -> list[Value] | None:
    """With g = scale · dy: dx = (g - Σ g / n - x̂ · Σ g x̂ / n) / √(variance + ε)."""
    dy, x, mean, variance, _, scale = values
    axes, epsilon = attrs["axes"], float_bits(attrs["variance_epsilon"])
    whole, rank = x.spec, len(x.spec.shape)
    by_channel = are_first(axes)
    others = axes if by_channel else tuple(range(rank - len(axes)))  # what offset and scale are the same for

    def total(value: Value, over: tuple[int, ...]) -> Value:
        out = spec(reduced_shape(whole.shape, over, True), "float32")
        found: Value = KERNELS["Sum"](device, (value,), {"axes": over, "keep_dims": True}, out)
        return found

    def product(a: Value, b: Value, out: Spec = whole) -> Value:
        found: Value = KERNELS["Multiply"](device, (a, b), {}, out)
        return found

    normal = _elementwise(device, whole, _CENTERED, (x, mean, variance), (epsilon,))
    scaled = product(dy, scale)
    sums = total(dy, others), total(product(dy, normal), others)
    if by_channel:
        along = [product(s, scale, mean.spec) for s in sums]
    else:
        along = [total(scaled, axes), total(product(scaled, normal), axes)]
    share = float_bits(mean.spec.size / whole.size)
    dx = _elementwise(device, whole, _BACK, (normal, scaled, variance, *along), (epsilon, share))
    found = {0: dx, 3: sums[0], 4: sums[1]}
    return [view(device, out, found[i], None) for i, out in zip(attrs["wanted"], outs, strict=True)]


# Of an element and the sum of the squares around it.
_RESPONSE = Expression("{0} * m_pow({p} + {q} * {1}, {r})", "float32", ("float32",) * 3)
_SUM_OF_SQUARES = Accumulation("0.", "fma({0}, {0}, {a})")


def _lrn(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, radius = values[0], attrs["depth_radius"]
    if out.dtype != "float32":
        return None
    width, channels = 2 * radius + 1, x.spec.shape[-1]
    near = Dimension(((0, 1), (2, 1)), 1, -radius, 1, channels)
    around = maps.gapped((width, x.spec.size // channels, channels), (Dimension(((1, 1),), channels), near))
    total = over_cells(device, _SUM_OF_SQUARES, [CellView(x, around)], width, out)
    words = [float_bits(n) for n in (attrs["bias"], attrs["alpha"], -attrs["beta"])]
    return fuse(device, out, _RESPONSE, (x, total), None, words)


KERNELS.update(
    {
        "FusedBatchNorm": _batch_norm,
        "LRN": _lrn,
        "Moments": _moments,
        "NormalizeByMoments": _normalize,
        "NormalizeByMomentsGrad": _normalize_grad,
    }
)
