"""Strings as bytes: n-grams and splitting."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from tfpy.engine.backend import Array


def texts(values: Sequence[bytes]) -> Array:
    """A vector of strings, as string tensors hold them."""
    out = np.empty(len(values), object)
    out[:] = values
    return out


class NGrams:
    """How n-grams are made from a row of tokens.

    Attributes:
        separator: what separates the tokens of an n-gram.
        widths: the numbers of tokens in an n-gram.
        pads: the padding before the first token and after the last one.
        pad_width: the number of pads, at most the width minus one, which a negative number stands for.
        keep_short: whether a row too short for any n-gram becomes a single one.
    """

    def __init__(
        self, separator: bytes, widths: Sequence[int], pads: tuple[bytes, bytes], pad_width: int, keep_short: bool
    ) -> None:
        self.separator = separator
        self.widths = widths
        self.pads = pads
        self.pad_width = pad_width
        self.keep_short = keep_short

    def of(self, tokens: Sequence[bytes]) -> list[bytes]:
        """The n-grams of a row, by width and then by position."""
        found = [gram for width in self.widths for gram in self._of_width(tokens, width)]
        if not found and self.keep_short and tokens:
            return self._of_width(tokens, len(tokens) + 2 * self.pad_width)
        return found

    def _of_width(self, tokens: Sequence[bytes], width: int) -> list[bytes]:
        pads = width - 1 if self.pad_width < 0 else min(self.pad_width, width - 1)
        row = [self.pads[0]] * pads + list(tokens) + [self.pads[1]] * pads
        return [self.separator.join(row[i : i + width]) for i in range(len(row) - width + 1)]


def n_grams(data: Sequence[bytes], splits: Sequence[int], make: NGrams) -> tuple[list[bytes], list[int]]:
    """The n-grams of all rows, and their row splits; without data there are none, whatever the pads."""
    if not data or not splits:
        return [], [0] * len(splits)
    rows = [make.of(data[a:b]) for a, b in itertools.pairwise(splits)]
    ends = np.cumsum([0, *map(len, rows)]).tolist()
    return [gram for row in rows for gram in row], ends


def split(text: bytes, delimiters: bytes, skip_empty: bool) -> list[bytes]:
    """The pieces of a string between any of the delimiter bytes; its single bytes if there are no delimiters."""
    if not text:
        return []
    if not delimiters:
        return [text[i : i + 1] for i in range(len(text))]
    first = delimiters[:1]
    pieces = text.translate(bytes.maketrans(delimiters, first * len(delimiters))).split(first)
    return [piece for piece in pieces if piece] if skip_empty else pieces
