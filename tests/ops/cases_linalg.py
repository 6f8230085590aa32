"""Op cases of linear algebra and einsum."""

from __future__ import annotations

import numpy as np
from ops.table import Case, bools, case, complexes, floats, ints, raises

Array = np.ndarray


def _band(a: Array, lower: int, upper: int) -> Array:
    below = np.subtract.outer(np.arange(a.shape[-2]), np.arange(a.shape[-1]))
    keep = (below <= (lower if lower >= 0 else 99)) & (below >= -(upper if upper >= 0 else 99))
    return np.where(keep, a, 0)


def _gram_schmidt(xs: Array | list[Array]) -> list[Array] | Array:
    ys: list[Array] = []
    for x in xs:
        for y in ys:
            x = x - (x @ y) * y
        ys.append(x / np.linalg.norm(x))
    return ys if isinstance(xs, list) else np.stack(ys)


LINALG: dict[str, list[Case]] = {
    "linalg.band_part": [
        case(floats(4, 3), 1, 0, reference=_band),
        case(floats(2, 3, 4), -1, 1, reference=_band),
        case(floats(3, 3), np.array(1, np.int32), np.array(-1, np.int32), reference=_band),
        case(floats(3, 3), np.array([1], np.int32), 0, reference=_band),
        case(ints(3, 3), 0, 0, reference=_band, order=0),
        raises(ValueError, floats(3), 0, 0),
        raises(ValueError, floats(3, 3), 4, 0),
        raises(ValueError, floats(3, 3), 0, 0.5),
        raises(ValueError, floats(3, 3), np.array([1, 2, 0], np.int32), 0),
    ],
    "linalg.gram_schmidt": [
        case(floats(2, 4), reference=_gram_schmidt),
        case([floats(3), floats(3), floats(3)], reference=_gram_schmidt),
        raises(ValueError, []),
        raises(ValueError, floats(3, 2)),
        raises(TypeError, ints(2, 2)),
        raises(ValueError, [floats(3), floats(2)]),
    ],
    "linalg.qr": [
        case(floats(3, 3)),
        case(floats(5, 2)),
        case(floats(2, 4)),
        case(floats(2, 4, 3)),
        case(floats(2, 2, 3), True),
        case(np.array([[0.0, 1.0], [1.0, 0.0]]), order=0),
        case(floats(70, 40), order=0),
        raises(ValueError, floats(3)),
        raises(TypeError, ints(2, 2)),
    ],
    "diag": [
        case(floats(3), reference=np.diag),
        case(floats(2, 2), reference=lambda x: np.diag(x.reshape(-1)).reshape(2, 2, 2, 2)),
        case(bools(2), reference=np.diag, order=0),
        case(complexes(2), reference=np.diag),
        case(floats(0), reference=lambda x: np.zeros((0, 0)), order=0),
        raises(TypeError, "text"),
    ],
    "einsum": [
        case("ij,jk->ik", floats(2, 3), floats(3, 4), reference=np.einsum),
        case("ij -> ji", floats(2, 3), reference=np.einsum),
        case("ij->", floats(2, 3), reference=np.einsum),
        case("i,j->ji", floats(2), floats(3), reference=np.einsum),
        case("bij,bjk->kbi", floats(2, 2, 3), floats(2, 3, 2), reference=np.einsum),
        case("ijk,ljm->ikml", floats(2, 3, 2), floats(1, 3, 2), reference=np.einsum),
        case("ij,ij->j", floats(2, 3), floats(2, 3), reference=np.einsum),
        case("ab,cb,cd->ad", floats(2, 3), floats(4, 3), floats(4, 2), reference=np.einsum),
        case("i,i,i->i", floats(3), floats(3), floats(3), reference=np.einsum),
        case(",i->i", floats(), floats(3), reference=np.einsum),
        case("ij,k->", floats(2, 2), floats(3), reference=np.einsum),
        case("ij,jk->ik", ints(2, 3), ints(3, 2), reference=np.einsum, order=0),
        raises(ValueError, "ij,jk->ik", floats(2, 3), floats(2, 3)),
        raises(ValueError, "ij,jk", floats(2, 3), floats(3, 2)),
        raises(ValueError, "ii->i", floats(2, 2)),
        raises(ValueError, "ij->ik", floats(2, 2)),
        raises(ValueError, "...i->i", floats(2, 2)),
        raises(ValueError, "ij,jk->ik", floats(2, 2)),
        raises(ValueError, "i->i", floats(2, 2)),
        raises(TypeError, 3, floats(2)),
    ],
}  # fmt: skip
