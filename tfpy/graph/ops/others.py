"""Dynamic, sparse, ragged and spectral ops, and those on strings."""

from __future__ import annotations

from typing import Any

from tfpy.core.calling.ready import finish
from tfpy.core.ops.ragged import ragged_gather, ragged_range, ragged_tensor_to_tensor
from tfpy.core.ops.search import setdiff1d_async, where_async
from tfpy.core.ops.shape import cast
from tfpy.core.ops.sparse import sparse_fill_empty_rows, sparse_reshape, sparse_segment_mean, sparse_segment_sum
from tfpy.core.ops.spectral import fft, ifft, irfft, rfft
from tfpy.core.ops.string import static_regex_replace, string_n_grams, string_split, string_to_hash_bucket_fast
from tfpy.graph.mappers import Call, Op, maps, same

same("FFT", fft)
same("IFFT", ifft)


@maps("RFFT")
def _rfft(call: Call) -> Any:
    return rfft(call.tensor(0), call.number(1))


@maps("IRFFT")
def _irfft(call: Call) -> Any:
    return irfft(call.tensor(0))


@maps("Where")
def _where(call: Call) -> Any:
    return finish(where_async(cast(call.tensor(0), "bool")))


@maps("ListDiff", outputs="out idx")
def _list_diff(call: Call) -> Any:
    return list(finish(setdiff1d_async(call.tensor(0), call.tensor(1))))


def _several(name: str, op: Op, outputs: str) -> None:
    """An op with several outputs whose inputs are its arguments in order."""
    maps(name, outputs)(lambda call: list(op(*call.values)))


_several(
    "SparseFillEmptyRows",
    sparse_fill_empty_rows,
    "output_indices output_values empty_row_indicator reverse_index_map",
)
_several("SparseReshape", sparse_reshape, "output_indices output_shape")
_several("RaggedRange", ragged_range, "rt_nested_splits rt_dense_values")
same("SparseSegmentMean", sparse_segment_mean)
same("SparseSegmentSum", sparse_segment_sum)


@maps("RaggedGather")
def _ragged_gather(call: Call) -> Any:
    splits, values = ragged_gather(
        call.values[:-2], call.tensor(-2), call.tensor(-1), call.attrs.number("OUTPUT_RAGGED_RANK")
    )
    return [*splits, values]


@maps("RaggedTensorToTensor")
def _ragged_to_tensor(call: Call) -> Any:
    kinds = call.attrs.texts("row_partition_types")
    return ragged_tensor_to_tensor(call.tensor(0), call.tensor(1), call.tensor(2), call.values[3:], kinds)


@maps("StaticRegexReplace")
def _regex_replace(call: Call) -> Any:
    pattern, rewrite = call.attrs.text("pattern"), call.attrs.text("rewrite")
    return static_regex_replace(call.tensor(0), pattern, rewrite, call.attrs.flag("replace_global", True))


@maps("StringNGrams", outputs="ngrams ngrams_splits")
def _string_n_grams(call: Call) -> Any:
    attrs = call.attrs
    return list(
        string_n_grams(
            call.tensor(0),
            call.tensor(1),
            attrs.text("separator"),
            attrs.numbers("ngram_widths"),
            attrs.text("left_pad"),
            attrs.text("right_pad"),
            attrs.number("pad_width"),
            attrs.flag("preserve_short_sequences"),
        )
    )


@maps("StringSplit", outputs="indices values shape")
def _string_split(call: Call) -> Any:
    return list(string_split(call.tensor(0), call.tensor(1), call.attrs.flag("skip_empty", True)))


@maps("StringToHashBucketFast")
def _hash_bucket(call: Call) -> Any:
    return string_to_hash_bucket_fast(call.tensor(0), call.attrs.number("num_buckets"))
