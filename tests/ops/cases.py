"""The table of op cases: each row is checked for forward values, gradients and errors on every backend; see table.py."""

from __future__ import annotations

from ops.cases_complex import COMPLEX
from ops.cases_conv import CONV
from ops.cases_create import CREATE
from ops.cases_elementwise import ELEMENTWISE
from ops.cases_host import HOST
from ops.cases_image import IMAGE
from ops.cases_index import INDEX
from ops.cases_linalg import LINALG
from ops.cases_metrics import METRICS
from ops.cases_reduce import REDUCE
from ops.cases_shape import SHAPE
from ops.cases_signal import SIGNAL
from ops.table import Case

CASES: dict[str, list[Case]] = {}
for _table in (
    ELEMENTWISE, REDUCE, SHAPE, CREATE, CONV, IMAGE, HOST, INDEX, LINALG, METRICS, SIGNAL, COMPLEX,
):  # fmt: skip
    for _op, _rows in _table.items():
        for _number, _case in enumerate(_rows, start=len(CASES.setdefault(_op, []))):
            _case.op, _case.number = _op, _number
            CASES[_op].append(_case)
