"""The file formats of the downloaded data sets."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]

# The third byte of an IDX file says what its values are: these are bytes.
_IDX_BYTES = 8
_CIFAR_SHAPE = (3, 32, 32)


def idx_array(path: Path, rank: int) -> Bytes:
    """The array of bytes in a gzipped IDX file, as the MNIST data have them.

    Raises:
        ValueError: another kind of file, or one whose size is not what its header says.
    """
    import gzip

    with _unpacking(path), gzip.open(path, "rb") as file:
        data = bytearray(file.read())  # an array of bytes would be read-only
    if len(data) < 4 + 4 * rank or tuple(data[:4]) != (0, 0, _IDX_BYTES, rank):
        raise ValueError(f"{path} is not an IDX file of bytes of rank {rank}.")
    shape = [int.from_bytes(data[4 + 4 * i : 8 + 4 * i], "big") for i in range(rank)]
    values = np.frombuffer(data, np.uint8, offset=4 + 4 * rank)
    if values.size != math.prod(shape):
        raise ValueError(f"{path} has {values.size} values, but its header says {shape}.")
    return values.reshape(shape)


@contextmanager
def _unpacking(path: Path) -> Iterator[None]:
    """Inside a `with` what is found wrong while a file is unpacked is a ValueError that names the file."""
    import tarfile

    try:
        yield
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise ValueError(f"{path} cannot be unpacked: {error}.") from error


def cifar_records(archive: Path, names: Sequence[str]) -> tuple[Bytes, npt.NDArray[Any]]:
    """The pictures [n, height, width, channel] and classes in files of the CIFAR-10 archive, which is not unpacked.

    Raises:
        ValueError: a file is missing, or is no row of records.
    """
    import tarfile

    length = 1 + math.prod(_CIFAR_SHAPE)
    parts = []
    with _unpacking(archive), tarfile.open(archive, "r:gz") as tar:
        members = {Path(member.name).name: member for member in tar.getmembers() if member.isfile()}
        for name in names:
            file = tar.extractfile(members[name]) if name in members else None
            data = b"" if file is None else file.read()
            if not data or len(data) % length:
                raise ValueError(f"{archive} has no file {name} of records of {length} bytes.")
            parts.append(np.frombuffer(data, np.uint8).reshape(-1, length))
    records = np.concatenate(parts)
    pictures = records[:, 1:].reshape(-1, *_CIFAR_SHAPE).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(pictures), records[:, 0].astype(np.int32)
