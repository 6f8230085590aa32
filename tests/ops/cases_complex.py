"""Op cases with complex tensors; the gradient with respect to x + iy is the one for x plus i times the one for y."""

from __future__ import annotations

import numpy as np
from ops.table import Case, case, complexes, floats

INDICES = np.array([2, 0, 2], np.int32)

COMPLEX: dict[str, list[Case]] = {
    "add": [case(complexes(2, 3), complexes(3), reference=np.add), case(complexes(3), floats(3), reference=np.add)],
    "sub": [case(complexes(2, 3), complexes(3), reference=np.subtract)],
    "mul": [
        case(complexes(2, 3), complexes(3), reference=np.multiply),
        case(floats(3), complexes(2, 3), reference=np.multiply),
    ],
    "div": [
        case(complexes(2, 3), complexes(3), reference=np.divide),
        case(floats(3), complexes(2, 3), reference=np.divide),
    ],
    "neg": [case(complexes(3), reference=np.negative)],
    "square": [case(complexes(2, 3), reference=np.square)],
    "abs": [case(complexes(2, 3), reference=np.abs)],
    "real": [case(complexes(3), reference=np.real)],
    "imag": [case(complexes(3), reference=np.imag)],
    "cast": [case(complexes(3), "float32", reference=lambda x, d: x.real), case(floats(3), "complex64", reference=lambda x, d: x.astype(complex)), case(np.array([0.5j, 2, 0]), "bool", reference=lambda x, d: x.real != 0, order=0)],
    "sum": [case(complexes(2, 3), 1, reference=lambda x, a: x.sum(a))],
    "mean": [case(complexes(2, 3), 0, reference=lambda x, a: x.mean(a))],
    "prod": [case(complexes(2, 3), 1, reference=lambda x, a: x.prod(a))],
    "cumsum": [case(complexes(2, 3), 1, reference=lambda x, a: x.cumsum(a))],
    "cumprod": [case(complexes(4), 0, True, True, reference=lambda x, a, e, r: np.concatenate([x[:0:-1].cumprod()[::-1], [1]]))],
    "mat_mul": [
        case(complexes(2, 3), complexes(3, 2), reference=np.matmul),
        case(complexes(3, 2), complexes(2, 3), True, True, reference=lambda a, b, s, t: a.T @ b.T),
    ],
    "dot": [case(complexes(3), complexes(3), reference=np.dot)],
    "einsum": [case("ij,kj->ik", complexes(2, 3), complexes(2, 3), reference=np.einsum), case("i,i->", floats(3), complexes(3), reference=np.einsum)],
    "transpose": [case(complexes(2, 3), None, True, reference=lambda x, p, c: x.T.conj())],
    "reshape": [case(complexes(2, 3), [3, 2], reference=np.reshape)],
    "broadcast_to": [case(complexes(3), [2, 3], reference=np.broadcast_to)],
    "concat": [case([complexes(2), complexes(3)], reference=np.concatenate)],
    "stack": [case([complexes(2), complexes(2)], reference=np.stack)],
    "unstack": [case(complexes(2, 2), reference=list)],
    "split": [case(complexes(4), 2, reference=np.split)],
    "slice": [case(complexes(4), 1, 2, reference=lambda x, b, s: x[1:3])],
    "strided_slice": [case(complexes(5), [4], [0], [-2], reference=lambda x, b, e, s: x[4:0:-2])],
    "pad": [case(complexes(2), [[1, 1]], reference=np.pad)],
    "tile": [case(complexes(2), [2], reference=np.tile)],
    "reverse": [case(complexes(3), reference=np.flip)],
    "gather": [case(complexes(3), INDICES, reference=lambda x, i: x[i])],
    "gather_nd": [case(complexes(3), INDICES.reshape(3, 1), reference=lambda x, i: x[i[:, 0]])],
    "scatter_nd": [case(INDICES, complexes(3), [4], reference=lambda i, u, s: np.array([u[1], 0, u[0] + u[2], 0]))],
    "unique": [case(complexes(3), reference=lambda x: [x, np.arange(3)])],
}  # fmt: skip
