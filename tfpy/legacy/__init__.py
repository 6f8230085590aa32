"""The API of deeplearn.js (0.1 to 0.5), on the same engine, ops, tape and optimizer rules as the new one.

    from tfpy import legacy as dl

Every name exists in deeplearn.js's spelling and in PEP 8 (`math.elementWiseMul`, `math.element_wise_mul`).

**Numbers.** By default this generation computes what the new one computes, bit for bit on the CPU.
`dl.numerics("deeplearn.js")` switches to the numbers of deeplearn.js 0.3.17, where they differ (see `quirks`).

**Lifetimes** are those of 0.3.17, with these choices:

- Results of math methods and arrays made in a scope (`X.new`, `zeros`, …) are disposed at its end unless the scope
  returns or keeps them; `track` is the identity. The data of a graph's variables and constants is kept by the graph.
- A scope may return an array, a list or dict of them in any nesting (0.3.17: one level; 0.5: any), a number, or
  anything else. What it returns belongs to the enclosing scope.
- Arrays that share the data of a returned or kept array survive with it: returning `a.as2D(2, 2)` keeps `a`.
- `dispose` frees one array: others that share its data stay (as from 0.4.1; in 0.3.17 they are dead, too). Disposing
  twice is no error; reading afterwards is.
- A write (`set`, `add`, `fill`, or into the array of `get_values`) changes that one array and nothing that shares its
  data (0.3.17: it is seen through `as2D`, too).
- An exception closes the scopes that it leaves, and disposes their arrays (deeplearn.js leaves them open).
- `scope` may be given an async function; its scope ends when the function has finished, and arrays that other tasks
  make while it waits are not its own.
- Arrays nobody refers to are freed at once, in a scope or not.
- In safe mode math methods, functions, new arrays, `keep` and `track` outside a scope or `dl.tidy` are errors, and so
  is returning an array from the outermost one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfpy._version import VERSION
from tfpy.core.io.loader import load_weights as load_weights
from tfpy.core.naming.hints import MissingNameError as _MissingNameError
from tfpy.core.naming.hints import names_of as _names_of
from tfpy.legacy import conv_util as conv_util
from tfpy.legacy import environment as environment
from tfpy.legacy import image as image
from tfpy.legacy import losses as losses
from tfpy.legacy import test_util as test_util
from tfpy.legacy import train as train
from tfpy.legacy import util as util
from tfpy.legacy import xhr_dataset as xhr_dataset
from tfpy.legacy._eager import *  # noqa: F403
from tfpy.legacy.arrays.buffer import buffer as buffer
from tfpy.legacy.arrays.ndarray import Array1D as Array1D
from tfpy.legacy.arrays.ndarray import Array2D as Array2D
from tfpy.legacy.arrays.ndarray import Array3D as Array3D
from tfpy.legacy.arrays.ndarray import Array4D as Array4D
from tfpy.legacy.arrays.ndarray import NDArray as NDArray
from tfpy.legacy.arrays.ndarray import Scalar as Scalar
from tfpy.legacy.arrays.values import Rank as Rank
from tfpy.legacy.browser import GPGPUContext as GPGPUContext
from tfpy.legacy.browser import gpgpu_util as gpgpu_util
from tfpy.legacy.browser import initialize_gpu as initialize_gpu
from tfpy.legacy.browser import initializeGPU as initializeGPU
from tfpy.legacy.browser import render_ndarray_gpu_util as render_ndarray_gpu_util
from tfpy.legacy.browser import webgl_util as webgl_util
from tfpy.legacy.datasets.data import DataStats as DataStats
from tfpy.legacy.datasets.data import InCPUMemoryShuffledInputProviderBuilder as InCPUMemoryShuffledInputProviderBuilder
from tfpy.legacy.datasets.data import InGPUMemoryShuffledInputProviderBuilder as InGPUMemoryShuffledInputProviderBuilder
from tfpy.legacy.datasets.data import InMemoryDataset as InMemoryDataset
from tfpy.legacy.datasets.data import InMemoryShuffledInputProviderBuilder as InMemoryShuffledInputProviderBuilder
from tfpy.legacy.datasets.data import InputProvider as InputProvider
from tfpy.legacy.datasets.loaders import CheckpointLoader as CheckpointLoader
from tfpy.legacy.datasets.loaders import XhrDataset as XhrDataset
from tfpy.legacy.eager import keep as keep
from tfpy.legacy.eager import set_backend as set_backend
from tfpy.legacy.eager import setBackend as setBackend
from tfpy.legacy.eager import tidy as tidy
from tfpy.legacy.environment import ENV as ENV
from tfpy.legacy.environment import Environment as Environment
from tfpy.legacy.graphs.feeds import FeedEntry as FeedEntry
from tfpy.legacy.graphs.graph import Graph as Graph
from tfpy.legacy.graphs.graph import GraphLayers as GraphLayers
from tfpy.legacy.graphs.graph_runner import GraphRunner as GraphRunner
from tfpy.legacy.graphs.graph_runner import MetricReduction as MetricReduction
from tfpy.legacy.graphs.initializers import ConstantInitializer as ConstantInitializer
from tfpy.legacy.graphs.initializers import Initializer as Initializer
from tfpy.legacy.graphs.initializers import NDArrayInitializer as NDArrayInitializer
from tfpy.legacy.graphs.initializers import OnesInitializer as OnesInitializer
from tfpy.legacy.graphs.initializers import RandomNormalInitializer as RandomNormalInitializer
from tfpy.legacy.graphs.initializers import RandomTruncatedNormalInitializer as RandomTruncatedNormalInitializer
from tfpy.legacy.graphs.initializers import RandomUniformInitializer as RandomUniformInitializer
from tfpy.legacy.graphs.initializers import VarianceScalingInitializer as VarianceScalingInitializer
from tfpy.legacy.graphs.initializers import ZerosInitializer as ZerosInitializer
from tfpy.legacy.graphs.optimizers import AdadeltaOptimizer as AdadeltaOptimizer
from tfpy.legacy.graphs.optimizers import AdagradOptimizer as AdagradOptimizer
from tfpy.legacy.graphs.optimizers import AdamaxOptimizer as AdamaxOptimizer
from tfpy.legacy.graphs.optimizers import AdamMaxOptimizer as AdamMaxOptimizer
from tfpy.legacy.graphs.optimizers import AdamOptimizer as AdamOptimizer
from tfpy.legacy.graphs.optimizers import MomentumOptimizer as MomentumOptimizer
from tfpy.legacy.graphs.optimizers import Optimizer as Optimizer
from tfpy.legacy.graphs.optimizers import RMSPropOptimizer as RMSPropOptimizer
from tfpy.legacy.graphs.optimizers import SGDOptimizer as SGDOptimizer
from tfpy.legacy.graphs.session import CostReduction as CostReduction
from tfpy.legacy.graphs.session import Session as Session
from tfpy.legacy.graphs.symbolic import Node as Node
from tfpy.legacy.graphs.symbolic import Tensor as Tensor
from tfpy.legacy.math import NDArrayMath as NDArrayMath
from tfpy.legacy.math import NDArrayMathCPU as NDArrayMathCPU
from tfpy.legacy.math import NDArrayMathGPU as NDArrayMathGPU
from tfpy.legacy.math_backends import MathBackendCPU as MathBackendCPU
from tfpy.legacy.math_backends import MathBackendWebGL as MathBackendWebGL
from tfpy.legacy.migration.hints import migration_hints as migration_hints
from tfpy.legacy.ops.matrix import MatrixOrientation as MatrixOrientation
from tfpy.legacy.quirks import QUIRKS as QUIRKS
from tfpy.legacy.quirks import conv as _conv_quirks
from tfpy.legacy.quirks import current as get_numerics
from tfpy.legacy.quirks import graph as _graph_quirks
from tfpy.legacy.quirks import numerics as numerics
from tfpy.legacy.quirks import ops as _op_quirks
from tfpy.legacy.quirks import reduce as _reduce_quirks
from tfpy.legacy.quirks import sums as _sum_quirks
from tfpy.legacy.variables import Variable as Variable
from tfpy.legacy.variables import variable as variable

SymbolicTensor = Tensor
TensorInitializer = NDArrayInitializer
Tensor1D = Array1D  # 0.5
Tensor2D = Array2D
Tensor3D = Array3D
Tensor4D = Array4D
version = VERSION
loadWeights = load_weights
getNumerics = get_numerics
migrationHints = migration_hints

_ELSEWHERE = {
    "contrib": "tf.data, with csv, text_line, zip and the like",
    "GraphRunnerEventObserver": "an object or a dict with any of the callbacks",
    "LSTMCell": "a function of data, c and h",
    "Model": "any class of your own",
}

if not TYPE_CHECKING:  # type checkers read the imports above, and would take `__getattr__` for a promise
    __all__ = [name for name in _names_of(globals()) if not name.startswith("_")]
    __all__ += ["conv_util", "environment", "image", "losses", "test_util", "train", "util", "xhr_dataset"]

    def __dir__() -> list[str]:
        return sorted(__all__)

    def __getattr__(name: str) -> object:
        raise _MissingNameError("module 'tfpy.legacy'", name, lambda: __all__, _ELSEWHERE)
