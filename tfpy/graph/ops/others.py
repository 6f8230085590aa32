"""Dynamic, sparse, ragged and spectral ops, and those on texts."""

from __future__ import annotations

from typing import Any

from tfpy.core.ready import finish
from tfpy.graph.mappers import Call, maps, same

same("FFT", "spectral.fft")
same("IFFT", "spectral.ifft")


@maps("RFFT", "spectral.rfft")
def _rfft(call: Call, rfft: Any) -> Any:
    return rfft(call.tensor(0), call.number(1))


@maps("IRFFT", "spectral.irfft")
def _irfft(call: Call, irfft: Any) -> Any:
    return irfft(call.tensor(0))


@maps("Where", "where_async cast")
def _where(call: Call, where_async: Any, cast: Any) -> Any:
    return finish(where_async(cast(call.tensor(0), "bool")))


@maps("ListDiff", "setdiff1d_async", "out idx")
def _list_diff(call: Call, setdiff1d_async: Any) -> Any:
    return list(finish(setdiff1d_async(call.tensor(0), call.tensor(1))))


def _several(name: str, core: str, outputs: str) -> None:
    """An op with several outputs whose inputs are its arguments in order."""
    maps(name, core, outputs)(lambda call, op: list(op(*call.values)))


_several(
    "SparseFillEmptyRows",
    "sparse.sparse_fill_empty_rows",
    "output_indices output_values empty_row_indicator reverse_index_map",
)
_several("SparseReshape", "sparse.sparse_reshape", "output_indices output_shape")
_several("RaggedRange", "ragged_range", "rt_nested_splits rt_dense_values")
same("SparseSegmentMean", "sparse.sparse_segment_mean")
same("SparseSegmentSum", "sparse.sparse_segment_sum")


@maps("RaggedGather", "ragged_gather")
def _ragged_gather(call: Call, ragged_gather: Any) -> Any:
    splits, values = ragged_gather(
        call.values[:-2], call.tensor(-2), call.tensor(-1), call.attrs.number("OUTPUT_RAGGED_RANK")
    )
    return [*splits, values]


@maps("RaggedTensorToTensor", "ragged_tensor_to_tensor")
def _ragged_to_tensor(call: Call, ragged_tensor_to_tensor: Any) -> Any:
    kinds = call.attrs.texts("row_partition_types")
    return ragged_tensor_to_tensor(call.tensor(0), call.tensor(1), call.tensor(2), call.values[3:], kinds)


@maps("StaticRegexReplace", "string.static_regex_replace")
def _regex_replace(call: Call, static_regex_replace: Any) -> Any:
    pattern, rewrite = call.attrs.text("pattern"), call.attrs.text("rewrite")
    return static_regex_replace(call.tensor(0), pattern, rewrite, call.attrs.flag("replace_global", True))


@maps("StringNGrams", "string.string_n_grams", "ngrams ngrams_splits")
def _string_n_grams(call: Call, string_n_grams: Any) -> Any:
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


@maps("StringSplit", "string.string_split", "indices values shape")
def _string_split(call: Call, string_split: Any) -> Any:
    return list(string_split(call.tensor(0), call.tensor(1), call.attrs.flag("skip_empty", True)))


@maps("StringToHashBucketFast", "string.string_to_hash_bucket_fast")
def _hash_bucket(call: Call, string_to_hash_bucket_fast: Any) -> Any:
    return string_to_hash_bucket_fast(call.tensor(0), call.attrs.number("num_buckets"))
