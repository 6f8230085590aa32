"""Strings: `tf.string`. String tensors hold them as UTF-8 bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import int_tensor, tensor_of_rank
from tfpy.core.results import TensorRecord
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.arguments import as_int, as_ints
from tfpy.engine.errors import argument_error
from tfpy.engine.host import regex, strings
from tfpy.engine.host.fingerprint import fingerprint64


class StringNGrams(TensorRecord):
    """The result of `string.string_n_grams`."""

    n_grams: Tensor
    n_grams_splits: Tensor


class StringSplit(TensorRecord):
    """The result of `string.string_split`."""

    indices: Tensor
    values: Tensor
    shape: Tensor


@op(namespace="string", doc="Operations / String")
def static_regex_replace(input: TensorLike, pattern: str, rewrite: str, replace_global: bool = True) -> Tensor:
    """Strings with the matches of a regular expression replaced.

    Args:
        input: a string tensor of any shape.
        pattern: a regular expression as in JavaScript, without flags. Python's engine does the matching: lookbehind
            must have a fixed length, and a dot matches a character beyond U+FFFF as one.
        rewrite: the replacement, as in JavaScript: $1 stands for the first group, $& for the whole match,
            $` and $' for the text before and after it, $<name> for a named group, $$ for a dollar sign.
        replace_global: whether all matches are replaced, or only the first.

    Returns:
        A string tensor of the same shape.

    Raises:
        ValueError: the pattern is not a regular expression. TypeError: not strings.

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
    """The n-grams of each row: runs of consecutive tokens.

    Args:
        data: a string vector, the tokens of all rows.
        data_splits: an int32 vector of row splits, from 0 up to the number of tokens.
        separator: the string between the tokens of a run.
        n_gram_widths: how many tokens a run has; one or more widths.
        left_pad: the pad before the first token of a row.
        right_pad: the pad after the last token of a row.
        pad_width: how many pads to add on each side, always fewer than a run has tokens; if negative, as many
            as possible.
        preserve_short_sequences: whether a row too short for any run becomes a run as a whole.

    Returns:
        A record: n_grams, a string vector, and n_grams_splits, its row splits.

    Raises:
        ValueError: splits that do not ascend from 0 to the number of tokens. TypeError: a wrong dtype.

    Source: TF.js `tf.string.stringNGrams`.
    """
    name = "string_n_grams"
    tokens = tensor_of_rank(name, "data", data, 1, "string")
    splits = tensor_of_rank(name, "data_splits", data_splits, 1, "int32")
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
        A record: indices, an int32 matrix of each piece's string and its position in that string; values, the pieces;
        and shape, an int32 vector of the number of strings and the largest number of pieces.

    Raises:
        ValueError: a wrong rank. TypeError: not strings.

    Source: TF.js `tf.string.stringSplit`.
    """
    t = tensor_of_rank("string_split", "input", input, 1, "string")
    at = to_tensor("string_split", "delimiter", delimiter, "string")
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
    """A bucket number for each string by its hash: Fingerprint64 modulo the number of buckets.

    Args:
        input: a string tensor of any shape.
        num_buckets: the number of buckets, 1 or more.

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
