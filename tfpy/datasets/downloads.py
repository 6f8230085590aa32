"""Data sets that are downloaded once, checked, and kept in a folder: they need the extra `data`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tfpy.core.calling.registry import export
from tfpy.core.system.extras import optional_module
from tfpy.core.system.urls import has_scheme
from tfpy.datasets.formats import cifar_records, idx_array
from tfpy.datasets.records import Samples, Splits
from tfpy.engine.errors import argument_error

# The folder that downloads are kept in, where the user wants another one than the usual.
_FOLDER_VARIABLE = "TFPY_DATA"


class Files(NamedTuple):
    """Files under one address, with the SHA-256 sums of their contents."""

    name: str
    url: str
    sums: Mapping[str, str]


MNIST = Files(
    "mnist",
    "https://storage.googleapis.com/cvdf-datasets/mnist/",
    {
        "train-images-idx3-ubyte.gz": "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
        "train-labels-idx1-ubyte.gz": "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
        "t10k-images-idx3-ubyte.gz": "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
        "t10k-labels-idx1-ubyte.gz": "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
    },
)
FASHION_MNIST = Files(
    "fashion-mnist",
    "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/"
    "b2617bb6d3ffa2e429640350f613e3291e10b141/data/fashion/",
    {
        "train-images-idx3-ubyte.gz": "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
        "train-labels-idx1-ubyte.gz": "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
        "t10k-images-idx3-ubyte.gz": "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
        "t10k-labels-idx1-ubyte.gz": "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
    },
)
CIFAR10 = Files(
    "cifar10",
    "https://www.cs.toronto.edu/~kriz/",
    {"cifar-10-binary.tar.gz": "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd"},
)


@export(namespace="datasets", doc="Data sets")
def mnist(mirror: str | None = None) -> Splits:
    """70,000 handwritten digits (LeCun, Cortes, Burges). The first call downloads 11 MB.

    Args:
        mirror: the address of a folder that holds the files, if not the usual one.

    Returns:
        train: x uint8 [60000, 28, 28], 0 the background and 255 the ink; y int32 [60000], the digit.
        test: 10,000 of the same.

    Raises:
        ImportError: the extra `data` is not installed. RuntimeError: no connection. ValueError, TypeError: the files
            are not those that are expected, or the address is none of http or https.

    Source: beyond TF.js.
    """
    return _idx_splits(MNIST, mirror)


@export(namespace="datasets", doc="Data sets")
def fashion_mnist(mirror: str | None = None) -> Splits:
    """70,000 pictures of clothes in ten classes (Xiao, Rasul, Vollgraf 2017), as `mnist` gives its digits.

    The classes: 0 T-shirt, 1 trousers, 2 pullover, 3 dress, 4 coat, 5 sandal, 6 shirt, 7 sneaker, 8 bag, 9 ankle boot.
    The first call downloads 31 MB.

    Source: beyond TF.js.
    """
    return _idx_splits(FASHION_MNIST, mirror)


@export(namespace="datasets", doc="Data sets")
def cifar10(mirror: str | None = None) -> Splits:
    """60,000 colour pictures in ten classes (Krizhevsky 2009). The first call downloads 170 MB.

    The classes: 0 airplane, 1 automobile, 2 bird, 3 cat, 4 deer, 5 dog, 6 frog, 7 horse, 8 ship, 9 truck.

    Args:
        mirror: the address of a folder that holds the file, if not the usual one.

    Returns:
        train: x uint8 [50000, 32, 32, 3]; y int32 [50000].
        test: 10,000 of the same.

    Raises:
        ImportError, RuntimeError, ValueError, TypeError: as for `mnist`.

    Source: beyond TF.js.
    """
    archive = _file(CIFAR10, "cifar-10-binary.tar.gz", mirror)
    train = cifar_records(archive, [f"data_batch_{i}.bin" for i in range(1, 6)])
    return Splits(Samples(*train), Samples(*cifar_records(archive, ["test_batch.bin"])))


@export(namespace="datasets", doc="Data sets")
def text(url: str, checksum: str | None = None) -> str:
    """A string behind a URL, in UTF-8, downloaded once.

    Args:
        url: an http or https address.
        checksum: the SHA-256 sum of the file, if it is to be checked.

    Raises:
        ImportError, RuntimeError, ValueError, TypeError: as for `mnist`.

    Source: beyond TF.js.
    """
    try:
        return _fetch(_address("text", "url", url), checksum, "text", None).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{url} is not text in UTF-8 (byte {error.start}).") from None


def _idx_splits(files: Files, mirror: str | None) -> Splits:
    def samples(part: str) -> Samples:
        x = idx_array(_file(files, f"{part}-images-idx3-ubyte.gz", mirror), 3)
        y = idx_array(_file(files, f"{part}-labels-idx1-ubyte.gz", mirror), 1)
        return Samples(x, y.astype("int32"))

    return Splits(samples("train"), samples("t10k"))


def _file(files: Files, name: str, mirror: str | None) -> Path:
    base = files.url if mirror is None else _address(files.name, "mirror", mirror).rstrip("/") + "/"
    return _fetch(base + name, files.sums[name], files.name, name)


def _address(where: str, argument: str, value: object) -> str:
    """An address on the web."""
    if not isinstance(value, str):
        raise argument_error(where, argument, "a URL, as a string", value, TypeError)
    try:
        urlsplit(value)
        is_valid = has_scheme(value, "http", "https")
    except ValueError:  # for instance, a bracket that is not closed
        is_valid = False
    if not is_valid:
        raise argument_error(where, argument, "an http or https address", value)
    return value


def _fetch(url: str, checksum: str | None, folder: str, name: str | None) -> Path:
    """A file of the web as one of this machine, downloaded if it is not there yet, and checked."""
    pooch: Any = optional_module("pooch", "data", "Downloading a data set")
    known = None if checksum is None else f"sha256:{checksum}"
    at = Path(os.environ.get(_FOLDER_VARIABLE) or pooch.os_cache("tfpy")) / folder
    try:
        return Path(pooch.retrieve(url, known_hash=known, fname=name, path=at))
    except OSError as error:
        raise RuntimeError(f"{url} cannot be downloaded: {error}.") from error
