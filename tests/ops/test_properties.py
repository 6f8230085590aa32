"""Properties that hold for any shape and argument: results equal numpy's in float64, or the call raises.

Each test draws valid and invalid shapes and arguments for a family of ops. `assert_matches` allows a ValueError,
TypeError or RuntimeError only where the reference in numpy raises, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from ops.strategies import ALLOWED_ERRORS, Array, arrays, floats_of, int_arrays, seeds, shapes_of_rank
from tolerance import ACCUMULATED

import tfpy as tf


def arrays_of(result: Any) -> list[Any]:
    """The arrays of a result, in order."""
    if isinstance(result, tf.Tensor):
        return [result.numpy()]
    if isinstance(result, (np.ndarray, np.generic, int, float)):
        return [np.asarray(result)]
    return [a for part in result for a in arrays_of(part)]


def assert_matches(call: Callable[[], Any], reference: Callable[[], Any], tolerance: float = ACCUMULATED) -> None:
    """Check that a call gives the reference's values, and raises if the reference does."""
    try:
        with np.errstate(all="ignore"):
            expected = arrays_of(reference())
    except (ValueError, IndexError, TypeError, ZeroDivisionError, np.exceptions.AxisError):
        with pytest.raises(ALLOWED_ERRORS):
            call()
        return
    found = arrays_of(call())
    assert [f.shape for f in found] == [e.shape for e in expected]
    for f, e in zip(found, expected, strict=True):
        finite = np.abs(e[np.isfinite(e)]) if e.dtype.kind in "fc" else np.zeros(0)
        np.testing.assert_allclose(f, e, rtol=tolerance, atol=tolerance * max(1.0, finite.max(initial=0)))


# Elementwise ops and reductions


@given(a=arrays(), b=arrays(), name=st.sampled_from(["add", "sub", "mul", "maximum", "minimum", "squared_difference"]))
def test_broadcasting_arithmetic_equals_numpy(a: Array, b: Array, name: str) -> None:
    reference = {"sub": np.subtract, "mul": np.multiply, "squared_difference": lambda x, y: (x - y) ** 2}
    assert_matches(
        lambda: getattr(tf, name)(tf.tensor(a), tf.tensor(b)),
        lambda: reference.get(name, getattr(np, name, None))(a, b),
    )


@given(
    x=arrays(),
    axes=st.none() | st.integers(-4, 4) | st.lists(st.integers(-4, 3), max_size=3),
    keep=st.booleans(),
    data=st.data(),
)
def test_reductions_equal_numpy(x: Array, axes: Any, keep: bool, data: Any) -> None:
    name = data.draw(st.sampled_from(["sum", "prod", "mean", "max", "min"]))
    assume(x.size or name in ("sum", "prod"))
    axis = tuple(axes) if isinstance(axes, list) else axes
    assume(x.ndim or axis in (None, ()))  # numpy accepts axis 0 of a scalar
    assert_matches(
        lambda: getattr(tf, name)(tf.tensor(x), axes, keep), lambda: getattr(np, name)(x, axis=axis, keepdims=keep)
    )


@given(
    x=arrays(shapes_of_rank(1, 3)),
    axis=st.integers(-3, 3),
    exclusive=st.booleans(),
    reverse=st.booleans(),
    product=st.booleans(),
)
def test_cumsum_and_cumprod_equal_numpy(x: Array, axis: int, exclusive: bool, reverse: bool, product: bool) -> None:
    def reference() -> Array:
        run, neutral = (np.cumprod, 1.0) if product else (np.cumsum, 0.0)
        y = np.flip(x, axis) if reverse else x
        out = run(y, axis)
        if exclusive and x.shape[axis]:
            first = np.full_like(out.take([0], axis), neutral)
            out = np.concatenate([first, out.take(range(x.shape[axis] - 1), axis)], axis)
        return np.flip(out, axis) if reverse else out

    assert_matches(lambda: (tf.cumprod if product else tf.cumsum)(tf.tensor(x), axis, exclusive, reverse), reference)


# Slicing, padding, blocks


@given(x=arrays(shapes_of_rank(1, 3)), data=st.data())
def test_strided_slice_equals_numpy(x: Array, data: Any) -> None:
    items: list[Any] = []
    begin, end, strides = [], [], []
    masks = dict.fromkeys(("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"), 0)
    for i in range(data.draw(st.integers(0, x.ndim + 2))):
        kind = data.draw(st.sampled_from(["range", "range", "index", "new", "dots"]))
        a, b, s = (
            data.draw(st.integers(-5, 5)),
            data.draw(st.integers(-5, 5)),
            data.draw(st.sampled_from([1, 1, 2, -1, -2, 0])),
        )
        begin.append(a)
        end.append(b)
        strides.append(1 if kind == "index" else s)
        if kind == "range":
            open_ends = data.draw(st.booleans()), data.draw(st.booleans())
            masks["begin_mask"] |= open_ends[0] << i
            masks["end_mask"] |= open_ends[1] << i
            items.append(slice(None if open_ends[0] else a, None if open_ends[1] else b, s))
        else:
            masks[{"index": "shrink_axis_mask", "new": "new_axis_mask", "dots": "ellipsis_mask"}[kind]] |= 1 << i
            items.append({"index": a, "new": None, "dots": Ellipsis}[kind])
    assert_matches(
        lambda: tf.strided_slice(tf.tensor(x), begin, end, strides, *masks.values()), lambda: x[tuple(items)].copy()
    )


@given(x=arrays(shapes_of_rank(1, 3, 1)), data=st.data(), mode=st.sampled_from(["reflect", "symmetric"]))
def test_mirror_pad_equals_numpy(x: Array, data: Any, mode: Any) -> None:
    pads = [[data.draw(st.integers(0, 4)), data.draw(st.integers(0, 4))] for _ in x.shape]
    fits = all(max(p) <= n - (mode == "reflect") for p, n in zip(pads, x.shape, strict=True))
    if fits:
        assert_matches(lambda: tf.mirror_pad(tf.tensor(x), pads, mode), lambda: np.pad(x, pads, mode))
    else:
        with pytest.raises(ValueError, match="mirror_pad"):
            tf.mirror_pad(tf.tensor(x), pads, mode)


@given(data=st.data(), rank=st.integers(1, 2))
def test_batch_to_space_inverts_space_to_batch(data: Any, rank: int) -> None:
    blocks = [data.draw(st.integers(1, 3)) for _ in range(rank)]
    pads = [[data.draw(st.integers(0, 2)), data.draw(st.integers(0, 2))] for _ in range(rank)]
    space = [data.draw(st.integers(1, 5)) for _ in range(rank)]
    x = floats_of([data.draw(st.integers(0, 2)), *space, *data.draw(shapes_of_rank(0, 1))], data.draw(seeds))
    if any((n + sum(p)) % b for n, p, b in zip(space, pads, blocks, strict=True)):
        with pytest.raises(ValueError, match="block_shape"):
            tf.space_to_batch_nd(tf.tensor(x), blocks, pads)
        return
    batches = tf.space_to_batch_nd(tf.tensor(x), blocks, pads)
    assert batches.shape[0] == x.shape[0] * math.prod(blocks)
    np.testing.assert_array_equal(tf.batch_to_space_nd(batches, blocks, pads).numpy(), x)


@given(data=st.data(), channels_last=st.booleans())
def test_depth_to_space_inverts_blocks(data: Any, channels_last: bool) -> None:
    n, h, w, depth, b = (data.draw(st.integers(low, 3)) for low in (0, 0, 0, 1, 2))
    image = floats_of([n, h * b, w * b, depth], data.draw(seeds))
    blocks = image.reshape(n, h, b, w, b, depth).transpose(0, 1, 3, 2, 4, 5).reshape(n, h, w, b * b * depth)
    if channels_last:
        assert_matches(lambda: tf.depth_to_space(tf.tensor(blocks), b), lambda: image)
    else:
        assert_matches(
            lambda: tf.depth_to_space(tf.tensor(blocks.transpose(0, 3, 1, 2)), b, "NCHW"),
            lambda: image.transpose(0, 3, 1, 2),
        )


# Indices


@given(x=arrays(shapes_of_rank(1, 3)), data=st.data())
def test_gather_and_scatter_equal_numpy(x: Array, data: Any) -> None:
    depth = data.draw(st.integers(1, x.ndim))
    lead = data.draw(shapes_of_rank(0, 2, 0, 3))
    high = max(1, max(x.shape[:depth])) if data.draw(st.booleans()) else max(1, min(x.shape[:depth]))
    indices = data.draw(int_arrays(st.just((*lead, depth)), 0, high - 1))
    index = tuple(np.moveaxis(indices, -1, 0))
    assert_matches(lambda: tf.gather_nd(tf.tensor(x), tf.tensor(indices)), lambda: x[index])
    updates = floats_of((*lead, *x.shape[depth:]), data.draw(seeds))

    def added() -> Array:
        out = np.zeros(x.shape)
        np.add.at(out, index, updates)
        return out

    def replaced() -> Array:
        out = x.copy()
        out[index]
        for place in np.ndindex(*lead):
            out[tuple(indices[place])] = updates[place]
        return out

    assume(indices.ndim > 1)
    assert_matches(lambda: tf.scatter_nd(tf.tensor(indices), tf.tensor(updates), x.shape), added)
    assert_matches(lambda: tf.tensor_scatter_update(tf.tensor(x), tf.tensor(indices), tf.tensor(updates)), replaced)


@given(x=arrays(shapes_of_rank(1, 3)) | int_arrays(shapes_of_rank(1, 3), 0, 1), axis=st.integers(-3, 2))
def test_unique_along_axis(x: Array, axis: int) -> None:
    def reference() -> list[Any]:
        rows: list[bytes] = []
        first, inverse = [], []
        for i in range(x.shape[axis]):
            key = (x.take(i, axis) + 0).tobytes()
            if key not in rows:
                rows.append(key)
                first.append(i)
            inverse.append(rows.index(key))
        return [x.take(np.array(first, int), axis), np.array(inverse, int)]

    assert_matches(lambda: tf.unique(tf.tensor(x), axis), reference)


@given(
    rows=st.integers(0, 3),
    n=st.integers(0, 6),
    m=st.integers(0, 4),
    seed=seeds,
    side=st.sampled_from(["left", "right"]),
)
def test_search_sorted_equals_numpy(rows: int, n: int, m: int, seed: int, side: Any) -> None:
    table, values = np.sort(floats_of((rows, n), seed) // 1, axis=1), floats_of((rows, m), seed + 1) // 1
    expected = [np.searchsorted(r, v, side) for r, v in zip(table, values, strict=True)]
    assert_matches(
        lambda: tf.search_sorted(tf.tensor(table), tf.tensor(values), side),
        lambda: np.array(expected, int).reshape(rows, m),
    )


@given(
    x=int_arrays(shapes_of_rank(1, 2, 0, 5), -1, 5),
    size=st.integers(-1, 6),
    weighted=st.booleans(),
    binary=st.booleans(),
    seed=seeds,
)
def test_dense_bincount(x: Array, size: int, weighted: bool, binary: bool, seed: int) -> None:
    weights = floats_of(x.shape if weighted else (0,), seed)

    def reference() -> Array:
        if size < 0 or (x.size and x.min() < 0):
            raise ValueError
        rows = x if x.ndim == 2 else x[None]
        factors = weights.reshape(rows.shape) if weighted and weights.size else np.ones(rows.shape)
        out = np.zeros((len(rows), size))
        for i, row in enumerate(rows):
            for value, factor in zip(row, factors[i], strict=True):
                if value < size:
                    out[i, value] = 1 if binary and x.ndim == 2 else out[i, value] + factor
        return out if x.ndim == 2 else out[0]

    assert_matches(lambda: tf.dense_bincount(tf.tensor(x), tf.tensor(weights), size, binary), reference)


@given(x=arrays(shapes_of_rank(1, 2, 1, 6)), k=st.integers(-1, 7), ordered=st.booleans())
def test_topk(x: Array, k: int, ordered: bool) -> None:
    def found() -> list[Array]:
        top = tf.topk(tf.tensor(x), k, ordered)
        np.testing.assert_array_equal(np.take_along_axis(x, top.indices.numpy().astype(int), -1), top.values.numpy())
        return [top.values.numpy() if ordered else -np.sort(-top.values.numpy(), -1)]

    def reference() -> Array:
        if not 0 <= k <= x.shape[-1]:
            raise ValueError
        return -np.sort(-x, axis=-1)[..., :k]

    assert_matches(found, reference)


@given(x=arrays(shapes_of_rank(1, 3)), data=st.data())
def test_where_and_boolean_mask_equal_numpy(x: Array, data: Any) -> None:
    axis = data.draw(st.integers(0, x.ndim - 1))
    end = data.draw(st.integers(axis + 1, x.ndim))
    mask = data.draw(int_arrays(st.just(x.shape[axis:end]), 0, 1)).astype(bool)
    assert_matches(lambda: tf.where_async(tf.tensor(mask)), lambda: np.argwhere(mask))
    assert_matches(
        lambda: tf.boolean_mask_async(tf.tensor(x), tf.tensor(mask), axis), lambda: x[(slice(None),) * axis + (mask,)]
    )


@given(x=arrays(shapes_of_rank(1, 1, 0, 8)), y=arrays(shapes_of_rank(1, 1, 0, 4)))
def test_setdiff1d(x: Array, y: Array) -> None:
    x, y = x // 1, y // 1
    places = np.array([i for i, v in enumerate(x) if v not in y], int)
    assert_matches(lambda: tf.setdiff1d_async(tf.tensor(x), tf.tensor(y)), lambda: [x[places], places])


# Linear algebra


@given(data=st.data(), count=st.integers(1, 3))
def test_einsum_equals_numpy(data: Any, count: int) -> None:
    size = {label: data.draw(st.integers(1, 3)) for label in "abcd"}
    terms = [data.draw(st.lists(st.sampled_from("abcd"), max_size=3, unique=True)) for _ in range(count)]
    result = data.draw(st.permutations(sorted({label for term in terms for label in term})))
    equation = ",".join(map("".join, terms)) + "->" + "".join(result[: data.draw(st.integers(0, len(result)))])
    operands = [floats_of([size[label] for label in term], data.draw(seeds)) for term in terms]
    assert_matches(lambda: tf.einsum(equation, *map(tf.tensor, operands)), lambda: np.einsum(equation, *operands))


@given(x=arrays(shapes_of_rank(2, 3, 0, 5)), full=st.booleans())
def test_qr_factors_are_orthogonal_and_triangular(x: Array, full: bool) -> None:
    q, r = (t.numpy().astype(float) for t in tf.linalg.qr(tf.tensor(x), full))
    rows, columns = x.shape[-2:]
    inner = rows if full else min(rows, columns)
    assert (q.shape, r.shape) == ((*x.shape[:-2], rows, inner), (*x.shape[:-2], inner, columns))
    np.testing.assert_allclose(q @ r, x, atol=ACCUMULATED)
    np.testing.assert_allclose(
        np.swapaxes(q, -1, -2) @ q, np.broadcast_to(np.eye(inner), (*x.shape[:-2], inner, inner)), atol=ACCUMULATED
    )
    np.testing.assert_allclose(np.tril(r, -1), 0, atol=ACCUMULATED)


@given(x=arrays(shapes_of_rank(2, 3)), lower=st.integers(-2, 5), upper=st.integers(-2, 5))
def test_band_part(x: Array, lower: int, upper: int) -> None:
    def reference() -> Array:
        if lower > x.shape[-2] or upper > x.shape[-1]:
            raise ValueError
        below = np.subtract.outer(np.arange(x.shape[-2]), np.arange(x.shape[-1]))
        return np.where((below <= (lower if lower >= 0 else 9)) & (below >= -(upper if upper >= 0 else 9)), x, 0)

    assert_matches(lambda: tf.linalg.band_part(tf.tensor(x), lower, upper), reference)


@given(x=arrays(shapes_of_rank(0, 2)))
def test_diag(x: Array) -> None:
    assert_matches(lambda: tf.diag(tf.tensor(x)), lambda: np.diag(x.reshape(-1)).reshape(x.shape * 2))


# Fourier transforms and signals


@given(shape=shapes_of_rank(1, 3, 1, 9), seed=seeds, length=st.none() | st.integers(0, 12))
def test_fourier_transforms_equal_numpy(shape: tuple[int, ...], seed: int, length: int | None) -> None:
    x, y = floats_of(shape, seed), floats_of(shape, seed + 1)
    z = tf.complex(tf.tensor(x), tf.tensor(y))
    assert_matches(lambda: tf.fft(z), lambda: np.fft.fft(x + 1j * y))
    assert_matches(lambda: tf.ifft(z), lambda: np.fft.ifft(x + 1j * y))
    assert_matches(lambda: tf.rfft(tf.tensor(x), length), lambda: np.fft.rfft(x, length))
    if shape[-1] > 2 and len(shape) > 1:
        full_spectrum = np.concatenate([x + 1j * y, (x - 1j * y)[..., -2:0:-1]], -1)
        assert_matches(lambda: tf.irfft(z), lambda: np.fft.ifft(full_spectrum).real)


@given(n=st.integers(0, 12), length=st.integers(0, 5), step=st.integers(0, 4), pad=st.booleans(), seed=seeds)
def test_signal_frame(n: int, length: int, step: int, pad: bool, seed: int) -> None:
    x = floats_of((n,), seed)

    def reference() -> Array:
        starts = range(0, n if pad else max(n - length + 1, 0), step)
        if length < 1:
            raise ValueError
        return np.array([np.append(x, np.full(length, 7.0))[i : i + length] for i in starts]).reshape(
            len(starts), length
        )

    assert_matches(lambda: tf.signal.frame(tf.tensor(x), length, step, pad, 7), reference)


# Sparse and ragged tensors, strings


@given(
    rows=st.lists(st.integers(0, 4), max_size=5),
    width=st.integers(-1, 4),
    inner=shapes_of_rank(0, 1, 1, 2),
    seed=seeds,
    by_rows=st.booleans(),
)
def test_ragged_tensor_to_tensor_and_ragged_gather(
    rows: list[int], width: int, inner: tuple[int, ...], seed: int, by_rows: bool
) -> None:
    values = floats_of((sum(rows), *inner), seed)
    splits = np.cumsum([0, *rows]).astype(np.int32)
    columns = max(rows, default=0) if width < 0 else width
    expected = np.full((len(rows), columns, *inner), 9.0)
    for i, count in enumerate(rows):
        kept = min(count, columns)
        expected[i, :kept] = values[splits[i] : splits[i] + kept]
    ids = np.repeat(np.arange(len(rows)), rows).astype(np.int32)
    kinds = ["FIRST_DIM_SIZE", "VALUE_ROWIDS"] if by_rows else ["ROW_SPLITS"]
    numbers = [np.int32(len(rows)), ids] if by_rows else [splits]
    shape = np.array([-1, width, *inner], np.int32)
    tensors = [tf.tensor(np.asarray(a)) for a in numbers]
    assert_matches(
        lambda: tf.ragged_tensor_to_tensor(tf.tensor(shape), tf.tensor(values), 9.0, tensors, kinds), lambda: expected
    )
    picks = np.random.default_rng(seed).integers(0, max(len(rows), 1), 3).astype(np.int32)
    if rows:
        taken = [values[splits[i] : splits[i + 1]] for i in picks]
        assert_matches(
            lambda: tf.ragged_gather([tf.tensor(splits)], tf.tensor(values), tf.tensor(picks), 1),
            lambda: [np.cumsum([0, *map(len, taken)]), np.concatenate(taken)],
        )


@given(rows=st.integers(0, 4), columns=st.integers(1, 3), count=st.integers(0, 5), seed=seeds)
def test_sparse_fill_empty_rows(rows: int, columns: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    indices = np.stack(
        [rng.integers(0, rows + (seed % 7 == 0) or 1, count), rng.integers(0, columns, count)], 1
    ).astype(np.int32)
    values = floats_of((count,), seed)

    def reference() -> list[Any]:
        if count and (rows == 0 or indices[:, 0].max() >= rows):
            raise ValueError
        cells = [(r, i) for r in range(rows) for i in ([i for i in range(count) if indices[i, 0] == r] or [-1])]
        out = np.array([indices[i] if i >= 0 else [r, 0] for r, i in cells], int).reshape(len(cells), 2)
        filled = np.array([values[i] if i >= 0 else 5.0 for _, i in cells])
        places = np.array([[c for _, c in cells].index(i) for i in range(count)], int)
        return [out, filled, np.array([r not in indices[:, 0] for r in range(rows)], bool), places]

    shape = np.array([rows, columns], np.int32)
    assert_matches(
        lambda: tf.sparse.sparse_fill_empty_rows(tf.tensor(indices), tf.tensor(values), tf.tensor(shape), 5.0),
        reference,
    )


@given(
    x=arrays(shapes_of_rank(1, 2, 1, 4)), picks=st.lists(st.integers(-1, 4), max_size=5), seed=seeds, mean=st.booleans()
)
def test_sparse_segment_sum_and_mean(x: Array, picks: list[int], seed: int, mean: bool) -> None:
    ids = np.random.default_rng(seed).integers(0, 4, len(picks))
    ids = ids if seed % 5 == 0 else np.sort(ids)

    def reference() -> Array:
        if (np.diff(ids) < 0).any() or any(not 0 <= i < len(x) for i in picks):
            raise ValueError
        out = np.zeros((ids[-1] + 1 if len(ids) else 0, *x.shape[1:]))
        for segment in range(len(out)):
            rows = x[np.array(picks, int)[ids == segment]]
            out[segment] = rows.mean(0) if mean and len(rows) else rows.sum(0)
        return out

    function = tf.sparse.sparse_segment_mean if mean else tf.sparse.sparse_segment_sum
    arguments = [np.array(a, np.int32).reshape(-1) for a in (picks, ids)]
    assert_matches(lambda: function(tf.tensor(x), *map(tf.tensor, arguments)), reference)


words = st.text("ab é;", max_size=6)


@given(texts=st.lists(words, max_size=4), delimiter=st.sampled_from(["", ";", " ;"]), skip=st.booleans())
def test_string_split_pieces_rejoin(texts: list[str], delimiter: str, skip: bool) -> None:
    found = tf.string.string_split(tf.tensor(texts, [len(texts)], "string"), delimiter, skip)
    rows: list[list[bytes]] = [[] for _ in texts]
    pieces = found.values.buffer_sync().values
    for (row, column), piece in zip(found.indices.array_sync(), pieces, strict=True):
        assert column == len(rows[row])
        rows[row].append(piece)
        assert piece or not skip
    for text, row in zip(texts, rows, strict=True):
        data = text.encode()
        for sign in delimiter.encode():
            data = data.replace(bytes([sign]), b"")
        assert b"".join(row) == data
    assert found.shape.array_sync() == [len(texts), max(map(len, rows), default=0)]


@given(
    tokens=st.lists(words, max_size=5),
    widths=st.lists(st.integers(1, 4), min_size=1, max_size=2),
    pads=st.integers(-1, 3),
)
def test_number_and_width_of_n_grams(tokens: list[str], widths: list[int], pads: int) -> None:
    data, splits = tf.tensor(tokens, [len(tokens)], "string"), tf.tensor(np.array([0, len(tokens)], np.int32))
    found = tf.string.string_n_grams(data, splits, "|", widths, "L", "R", pads, False)
    each = [w - 1 if pads < 0 else min(pads, w - 1) for w in widths]
    counts = [max(0, len(tokens) + 2 * p - w + 1) if tokens else 0 for p, w in zip(each, widths, strict=True)]
    assert found.n_grams_splits.array_sync() == [0, sum(counts)]
    assert [g.count("|") for g in found.n_grams.data_sync()] == [
        w - 1 for w, n in zip(widths, counts, strict=True) for _ in range(n)
    ]
