"""The core: tensors, ops, gradients, optimizers, on top of the engine.

Importing it loads every op and gives Tensor its chained methods.
"""

from tfpy.core import grads, memory, variable  # noqa: F401
from tfpy.core._methods import TensorMethods
from tfpy.core.calling.registry import OPS
from tfpy.core.diagnostics import leaks, profiling  # noqa: F401
from tfpy.core.extending import backends, engine_face  # noqa: F401
from tfpy.core.naming.names import camel
from tfpy.core.ops import (  # noqa: F401
    activation,
    arith,
    average,
    blocks,
    browser,
    compare,
    conv,
    count,
    create,
    depthwise,
    dilation,
    einsum,
    fused,
    gather,
    image,
    indexing,
    join,
    linalg,
    logic,
    losses,
    matmul,
    metrics,
    norm,
    normalization,
    pool,
    ragged,
    random,
    ranked,
    recurrent,
    reduce,
    resize,
    scan,
    search,
    sequence,
    shape,
    signal,
    slice,
    softmax,
    sparse,
    spectral,
    string,
    suppression,
    trig,
    unary,
)
from tfpy.core.optimizers import _factories, classes  # noqa: F401
from tfpy.core.system import environment, next_frame  # noqa: F401
from tfpy.core.utils import arrays, backend_util, expectations, shapes, shuffling, tensors, util  # noqa: F401


def _bind_methods() -> None:
    """Make the chained ops methods of Tensor: the op itself is the method, which saves a stack frame."""
    for info in OPS.values():
        if info.chain:
            setattr(TensorMethods, info.name, info.function)
            setattr(TensorMethods, camel(info.name), info.function)


_bind_methods()
