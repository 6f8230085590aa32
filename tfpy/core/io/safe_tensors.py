"""Tensors in `.safetensors` files: by name, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tfpy.core.calling.ready import ReadyDict, ReadyNone
from tfpy.core.calling.registry import export
from tfpy.core.convert import to_tensor
from tfpy.core.io.errors import ModelFileError, ModelNotFoundError, ModelReadError
from tfpy.core.io.new_files import new_file, whole_characters
from tfpy.core.system.extras import optional_module
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.dtypes import INT32_RANGE, NUMPY, OF_KIND
from tfpy.engine.errors import argument_error


def _package(name: str = "safetensors") -> Any:
    return optional_module(name, "safetensors", "Reading and writing safetensors files")


@export(namespace="io", doc="Models / Loading")
def save_safetensors(tensors: Mapping[str, Any], path: str | os.PathLike[str]) -> ReadyNone:
    """Write tensors to a `.safetensors` file. An existing file stays whole until the new one is complete.

    Args:
        tensors: tensors by name; no strings.
        path: the file.

    Returns:
        Nothing; awaitable.

    Raises:
        TypeError: not a dict of tensors, or strings among them. ImportError: the extra `safetensors` is not installed.

    Source: beyond TF.js.
    """
    where = "save_safetensors"
    if not isinstance(tensors, Mapping):
        raise argument_error(where, "tensors", "a dict of tensors by name", tensors, TypeError)
    arrays = {}
    for name, value in tensors.items():
        tensor = to_tensor(where, str(name), value)
        values = dispatch.read(tensor, where)
        arrays[str(name)] = np.ascontiguousarray(values.astype(NUMPY[tensor.dtype])).reshape(tensor.shape)
    with whole_characters(path):
        data: bytes = _package("safetensors.numpy").save(arrays, metadata={"format": "np"})
    file = Path(path)
    with new_file(file) as stream:
        stream.write(data)
    return ReadyNone()


@export(namespace="io", doc="Models / Loading")
def load_safetensors(path: str | os.PathLike[str]) -> ReadyDict[str, Tensor]:
    """The tensors in a `.safetensors` file.

    Args:
        path: the file. float16 and float64 become float32, integers int32.

    Returns:
        The tensors by name; awaitable.

    Raises:
        ModelFileError: a file that does not exist, is damaged, or has numbers of an unsupported type.
        ImportError: the extra `safetensors` is not installed.

    Source: beyond TF.js.
    """
    package = _package()
    if not Path(path).is_file():
        raise ModelNotFoundError(f"{path}: no such file.")
    try:
        with package.safe_open(os.fspath(path), framework="np") as file:
            names = list(file.keys())
            found = {name: _checked(path, name, file.get_tensor(name)) for name in names}
    except ModelFileError:
        raise
    except (package.SafetensorError, OSError, TypeError, ValueError, AttributeError) as error:
        raise ModelReadError(f"{path}: cannot be read as a safetensors file: {error}.") from error
    return ReadyDict({name: to_tensor("load_safetensors", name, values) for name, values in found.items()})


def _checked(path: Any, name: str, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Values in a supported dtype."""
    dtype = OF_KIND.get(values.dtype.kind)
    if dtype is None:
        raise ModelFileError(f"{path}: tensor {name!r} is of type {values.dtype}, which is not supported.")
    if dtype == "int32" and values.size and (values.min() < INT32_RANGE[0] or values.max() > INT32_RANGE[1]):
        raise ModelFileError(f"{path}: tensor {name!r} has integers out of the range of int32.")
    return values
