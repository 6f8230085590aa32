"""Creating data sets: of arrays, functions, generators and CSV files, and of other data sets side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from tfpy.core.calling.ready import finish
from tfpy.core.calling.registry import export
from tfpy.core.streams import FunctionResults
from tfpy.data.csv_dataset import CSVDataset
from tfpy.data.dataset import Dataset, FunctionDataset, stream
from tfpy.data.iterators import LazyIterator, PythonIterator, ZipIterator, elements_of
from tfpy.data.sources import source_of
from tfpy.data.structure import children, cloned, is_structure, mapped
from tfpy.engine.arguments import as_function
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle


@export(namespace="data", doc="Data / Creation")
def array(items: Any) -> Dataset:
    """A data set of the elements of a list, or of the rows of an array.

    Args:
        items: a list of elements, copied for each pass; or a numpy array or anything convertible to one.

    Source: TF.js `tf.data.array`.
    """
    if isinstance(items, Handle):
        raise argument_error(
            "array", "items", "a list, as t.unstack() of a tensor, or an array, as t.numpy()", items, TypeError
        )
    if isinstance(items, (str, bytes, Mapping)) or not (hasattr(items, "__array__") or hasattr(items, "__len__")):
        raise argument_error("array", "items", "a list of elements, or an array", items, TypeError)
    rows = items if isinstance(items, (list, tuple)) or not hasattr(items, "__array__") else np.asarray(items)
    if isinstance(rows, np.ndarray) and rows.ndim == 0:
        raise argument_error("array", "items", "a list of elements, or an array of rank 1 or more", items)
    return FunctionDataset(partial(_copies, rows), len(rows))


def _copies(rows: Any) -> LazyIterator:
    return PythonIterator(map(_copy, rows))


def _copy(element: Any) -> Any:
    try:
        return cloned(element)
    except RecursionError:
        raise argument_error("array", "items", "elements that do not contain themselves", element) from None


@export(namespace="data", doc="Data / Operations")
def zip_(datasets: Any) -> Dataset:
    """Data sets zipped: each element holds one element of each, in the structure of the argument.

    Args:
        datasets: a list, tuple or dict of data sets, in any nesting.

    Returns:
        A data set that ends with the shortest of them.

    Raises:
        TypeError: something in the structure is not a data set. ValueError: the structure contains itself.

    Source: TF.js `tf.data.zip`.
    """
    if not is_structure(datasets) and not isinstance(datasets, Dataset):
        raise argument_error("zip", "datasets", "a list, tuple or dict of data sets", datasets, TypeError)
    try:
        leaves = _leaves(datasets)
    except RecursionError:
        raise argument_error("zip", "datasets", "a structure that does not contain itself", datasets) from None
    for leaf in leaves:
        if not isinstance(leaf, Dataset):
            raise argument_error("zip", "datasets", "a structure of data sets only", leaf, TypeError)
    sizes = [leaf.size for leaf in leaves]
    size = min(sizes) if sizes and None not in sizes else None
    return FunctionDataset(partial(_side_by_side, datasets), size)


def _side_by_side(datasets: Any) -> LazyIterator:
    streams = {id(leaf): stream(leaf) for leaf in _leaves(datasets)}
    return ZipIterator(mapped(datasets, lambda leaf: streams[id(leaf)]))


def _leaves(structure: Any) -> list[Any]:
    """The data sets of a structure, each once."""
    if not is_structure(structure):
        return [structure]
    found = [leaf for child in children(structure) for leaf in _leaves(child)]
    return list({id(leaf): leaf for leaf in found}.values())


@export(namespace="data", doc="Data / Creation")
def func(f: Callable[[], Any]) -> Dataset:
    """A data set of what a function returns each time it is called.

    Args:
        f: a function without arguments, maybe async, that returns {'value': element, 'done': False}, and 'done' True
            after the last one. All passes continue with the same function.

    Source: TF.js `tf.data.func`.
    """
    as_function("func", "f", f)
    return FunctionDataset(partial(_same, PythonIterator(FunctionResults(f))))


def _same(elements: LazyIterator) -> LazyIterator:
    return elements


@export(namespace="data", doc="Data / Creation")
def generator(generator: Callable[[], Any]) -> Dataset:
    """A data set of the elements that a generator yields.

    Args:
        generator: a generator function, maybe async, called for each pass; or any function that returns an iterator,
            including a TF.js-style one, with a `next()` that returns {'value': …, 'done': …}.

    Source: TF.js `tf.data.generator`.
    """
    if not callable(generator):
        expected = "a generator function (not the generator that it returns, which can be read only once)"
        raise argument_error("generator", "generator", expected, generator, TypeError)
    return FunctionDataset(partial(_generated, generator))


def _generated(generator: Callable[[], Any]) -> LazyIterator:
    return elements_of("generator", "generator", "a function that returns an iterator", finish(generator()))


@export(namespace="data", doc="Data / Creation", options="csv_config")
def csv(
    source: Any,
    csv_config: Mapping[str, Any] | None = None,
    *,
    has_header: bool = True,
    column_names: Sequence[str] | None = None,
    column_configs: Mapping[str, Mapping[str, Any]] | None = None,
    configured_columns_only: bool = False,
    delimiter: str | None = None,
    delim_whitespace: bool = False,
) -> CSVDataset:
    """A data set of the rows of a text file with separated columns: a dict for each row, by the column's name.

    Args:
        source: a path, a URL (file, http, https), the bytes of a file, or a data source. A gzipped file is decompressed
            while it is read. The whole file is never in memory.
        csv_config: the options below as a dict.
        has_header: whether the first line names the columns.
        column_names: the columns' names, replacing those in the first line.
        column_configs: by column {'required', 'dtype', 'default', 'is_label'}; see CSVDataset.
        configured_columns_only: whether to omit columns without a configuration.
        delimiter: the character between two columns; a comma by default.
        delim_whitespace: whether columns are separated by any number of blanks.

    Source: TF.js `tf.data.csv`.
    """
    return CSVDataset(
        source_of("csv", source),
        has_header=has_header,
        column_names=column_names,
        column_configs=column_configs,
        configured_columns_only=configured_columns_only,
        delimiter=delimiter,
        delim_whitespace=delim_whitespace,
    )


@export(namespace="data", doc="Data / Creation")
def webcam(webcam_video_element: Any = None, webcam_config: Mapping[str, Any] | None = None) -> Any:
    """Not in Python: images from a browser's camera.

    Raises:
        RuntimeError: always; `tf.data.generator` makes a data set from a camera library's images.

    Source: TF.js `tf.data.webcam`.
    """
    raise _only_in_a_browser("webcam", "camera")


@export(namespace="data", doc="Data / Creation")
def microphone(microphone_config: Mapping[str, Any] | None = None) -> Any:
    """Not in Python: spectrograms from a browser's microphone.

    Raises:
        RuntimeError: always; `tf.data.generator` makes a data set from an audio library's output.

    Source: TF.js `tf.data.microphone`.
    """
    raise _only_in_a_browser("microphone", "microphone")


def _only_in_a_browser(name: str, device: str) -> RuntimeError:
    return RuntimeError(
        f"{name}: reads the {device} of a browser, and there is no browser here. With a library that reads the "
        f"device, tf.data.generator makes a data set of its frames."
    )
