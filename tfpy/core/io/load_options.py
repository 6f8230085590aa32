"""The loading options, which load functions accept and pass on to routers and handlers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypedDict, cast

from tfpy.core.calling.options import read_options
from tfpy.core.calling.registry import export
from tfpy.engine.errors import argument_error


@export(namespace="io", doc="Models / Loading")
class LoadOptions(TypedDict, total=False):
    """How a model is loaded: keywords, or a dict in either spelling. All are optional.

    Attributes:
        request_init: for http: {'method', 'headers', 'timeout'}, the last in seconds.
        on_progress: called with the fraction of the weight files that has been read, from 0 to 1.
        fetch_func: for http: gets a URL; a function of (url, request_init) that returns bytes or a response.
        strict: whether the file must have exactly the weights of the model, True by default. Only
            `tf.load_layers_model` uses it, as in TF.js.
        weight_path_prefix: where the weight files are, if not next to the model.json.
        weight_url_converter: returns the path or URL of a weight file for its name in the model.json; it may be
            `async`.
        from_tf_hub: whether the URL is that of a model on TensorFlow Hub. Only `tf.load_graph_model` uses it, as in
            TF.js.
        stream_weights: ignored: weights are always read file by file.

    Source: TF.js `tf.io.LoadOptions`.
    """

    request_init: Mapping[str, Any] | None
    on_progress: Callable[[float], Any] | None
    fetch_func: Callable[..., Any] | None
    strict: bool
    weight_path_prefix: str | None
    weight_url_converter: Callable[[str], Any] | None
    from_tf_hub: bool
    stream_weights: bool


def read_load_options(given: Mapping[str, Any] | None, where: str) -> LoadOptions:
    """Options given as a dict, in either spelling; those that are None are omitted.

    Raises:
        TypeError: not a dict, or an unknown option.
    """
    if given is not None and not isinstance(given, Mapping):
        raise argument_error(where, "load_options", "a dict of options", given, TypeError)
    return cast("LoadOptions", read_options(given or {}, LoadOptions.__annotations__, where))
