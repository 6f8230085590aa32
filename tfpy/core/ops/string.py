"""Strings: `tf.string`. String tensors hold them as UTF-8 bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import int_tensor
from tfpy.core.results import TensorRecord
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.arguments import as_int, as_ints
from tfpy.engine.errors import argument_error
from tfpy.engine.host import regex, strings
from tfpy.engine.host.fingerprint import fingerprint64


class StringNGrams(TensorRecord):
    """What `string.string_n_grams` returns."""

    n_grams: Tensor
    n_grams_splits: Tensor


class StringSplit(TensorRecord):
    """What `string.string_split` returns."""

    indices: Tensor
    values: Tensor
    shape: Tensor


@op(namespace="string", doc="Operations / String")
def static_regex_replace(input: TensorLike, pattern: str, rewrite: str, replace_global: bool = True) -> Tensor:
    """Strings with what matches a regular expression replaced.

    Args:
        input: a string tensor of any shape.
        pattern: a regular expression as in JavaScript, without flags. Python's engine does the matching: lookbehind
            must have one length, and a dot takes a character beyond U+FFFF as one.
        rewrite: what matches are replaced by, as in JavaScript: $1 stands for the first group, $& for the whole match,
            $` and $' for what is before and behind it, $<name> for a named group, $$ for a dollar sign.
        replace_global: whether all matches are replaced, or the first alone.

    Returns:
        A string tensor of the same shape.

    Raises:
        ValueError: the pattern is no regular expression. TypeError: not strings.

    Source: TF.js `tf.string.staticRegexReplace`.
    """
    t = to_tensor("static_regex_replace", "input", input, "string")
    for name, text in (("pattern", pattern), ("rewrite", rewrite)):
        if not isinstance(text, str):
            raise argument_error("static_regex_replace", name, "text", text, TypeError)
    try:
        compiled = regex.translated(pattern)
    except ValueError as error:
        expected = f"a regular expression ({error})"
        raise argument_error("static_regex_replace", "pattern", expected, pattern) from None
    found = dispatch.read(t, "static_regex_replace")
    out = [regex.replaced(v.decode(errors="replace"), compiled, rewrite, replace_global).encode() for v in found.flat]
    return dispatch.make(Tensor, strings.texts(out).reshape(t.shape), "string")


@op(namespace="string", doc="Operations / String")
def string_n_grams(
    data: TensorLike,
    data_splits: TensorLike,
    separator: str,
    n_gram_widths: Sequence[int],
    left_pad: str,
    right_pad: str,
    pad_width: int,
    preserve_short_sequences: bool,
) -> StringNGrams:
    """Runs of tokens that follow each other, within each row.

    Args:
        data: a string vector, the tokens of all rows.
        data_splits: an int32 vector of where the rows are split: from 0 up to the number of tokens.
        separator: what is put between the tokens of a run.
        n_gram_widths: how many tokens a run has; each width in turn.
        left_pad: what stands before the first token of a row.
        right_pad: what stands behind the last token of a row.
        pad_width: how many pads there are on each side, but always fewer than a run has tokens; if negative, as many
            as that allows.
        preserve_short_sequences: whether a row too short for any run becomes one as a whole.

    Returns:
        A record: n_grams, a string vector, and n_grams_splits, where its rows are split.

    Raises:
        ValueError: splits that do not ascend from 0 to the number of tokens. TypeError: of another dtype.

    Source: TF.js `tf.string.stringNGrams`.
    """
    name = "string_n_grams"
    tokens, splits = to_tensor(name, "data", data, "string"), to_tensor(name, "data_splits", data_splits, "int32")
    for argument, t in (("data", tokens), ("data_splits", splits)):
        if t.rank != 1:
            raise argument_error(name, argument, "of rank 1", t)
    ends = dispatch.read(splits, name)
    if ends.size and (ends[0] or ends[-1] != tokens.size or (np.diff(ends) < 0).any()):
        raise argument_error(name, "data_splits", f"ascending from 0 to {tokens.size}", ends.tolist())
    widths = as_ints(name, "n_gram_widths", n_gram_widths)
    if min(widths, default=1) < 1:
        raise argument_error(name, "n_gram_widths", "1 or more", widths)
    for argument, text in (("separator", separator), ("left_pad", left_pad), ("right_pad", right_pad)):
        if not isinstance(text, str):
            raise argument_error(name, argument, "text", text, TypeError)
    pads = left_pad.encode(), right_pad.encode()
    make = strings.NGrams(
        separator.encode(), widths, pads, as_int(name, "pad_width", pad_width), preserve_short_sequences
    )
    grams, grams_splits = strings.n_grams(dispatch.read(tokens, name).tolist(), ends.tolist(), make)
    return StringNGrams(dispatch.make(Tensor, strings.texts(grams), "string"), int_tensor(np.array(grams_splits)))


@op(namespace="string", doc="Operations / String")
def string_split(input: TensorLike, delimiter: TensorLike, skip_empty: bool = True) -> StringSplit:
    """The pieces of strings, as a sparse matrix.

    Args:
        input: a string vector.
        delimiter: a string scalar; strings are split at each of its bytes, and into single bytes if it is empty.
        skip_empty: whether empty pieces are left out.

    Returns:
        A record: indices, an int32 matrix of the text and the number in it of each piece; values, the pieces; and
        shape, an int32 vector of the number of strings and the largest number of pieces.

    Raises:
        ValueError: of another rank. TypeError: not strings.

    Source: TF.js `tf.string.stringSplit`.
    """
    t = to_tensor("string_split", "input", input, "string")
    at = to_tensor("string_split", "delimiter", delimiter, "string")
    if t.rank != 1:
        raise argument_error("string_split", "input", "of rank 1", t)
    if at.rank:
        raise argument_error("string_split", "delimiter", "a scalar", at)
    delimiters = dispatch.read(at, "string_split").item()
    rows = [strings.split(text, delimiters, bool(skip_empty)) for text in dispatch.read(t, "string_split")]
    places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
    pieces = strings.texts([piece for row in rows for piece in row])
    return StringSplit(
        int_tensor(np.array(places).reshape(len(places), 2)),
        dispatch.make(Tensor, pieces, "string"),
        int_tensor(np.array([len(rows), max(map(len, rows), default=0)])),
    )


@op(namespace="string", doc="Operations / String")
def string_to_hash_bucket_fast(input: TensorLike, num_buckets: int) -> Tensor:
    """A number for each text by its hash: Fingerprint64 modulo the number of buckets.

    Args:
        input: a string tensor of any shape.
        num_buckets: how many numbers there are, 1 or more.

    Returns:
        An int32 tensor of the input's shape.

    Raises:
        ValueError: fewer than 1 bucket. TypeError: not strings.

    Source: TF.js `tf.string.stringToHashBucketFast`.
    """
    t = to_tensor("string_to_hash_bucket_fast", "input", input, "string")
    count = as_int("string_to_hash_bucket_fast", "num_buckets", num_buckets)
    if not 1 <= count <= 2**31:
        raise argument_error("string_to_hash_bucket_fast", "num_buckets", "from 1 to 2 ** 31", num_buckets)
    values = dispatch.read(t, "string_to_hash_bucket_fast")
    hashes = [fingerprint64(text) % count for text in values.flat]
    return int_tensor(np.array(hashes, np.int64).reshape(t.shape))
