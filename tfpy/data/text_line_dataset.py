"""TextLineDataset: the lines of a text file."""

from __future__ import annotations

from typing import Any

from tfpy.core.calling.registry import export
from tfpy.data.dataset import Dataset
from tfpy.data.iterators import LazyIterator, PythonIterator
from tfpy.data.sources import ByteChunkIterator, decompressed, source_of


@export(namespace="data", doc="Data / Classes")
class TextLineDataset(Dataset):
    """The lines of a text in UTF-8, without their ends.

    Args:
        input: a data source; or a path, a URL or bytes. Gzipped text is decompressed while it is read.

    Source: TF.js `tf.data.TextLineDataset`.
    """

    def __init__(self, input: Any) -> None:
        self.input = source_of("TextLineDataset", input)

    def iterator(self) -> LazyIterator:
        """A new stream of the lines.

        Raises (while reading):
            RuntimeError: the source cannot be read. ValueError: it is broken gzip data.
        """
        lines = ByteChunkIterator(decompressed(self.input)).decode_utf8().split("\n")
        return PythonIterator(line.removesuffix("\r") for line in lines)
