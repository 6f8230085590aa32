"""Finds the handler that saves or loads: for a path, a URL, a model in memory or a custom handler."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfpy.core.calling.ready import finish
from tfpy.core.io.artifacts import ModelArtifacts, SaveResult, as_artifacts, as_save_result, with_weight_data
from tfpy.core.io.errors import ModelFileError
from tfpy.core.io.files import FileSystem
from tfpy.core.io.load_handler import Loaded, LoadHandler
from tfpy.core.io.load_options import LoadOptions
from tfpy.core.io.parsed_model import ParsedModel
from tfpy.core.io.router import get_load_handlers, get_save_handlers
from tfpy.core.results import Entries
from tfpy.core.system.urls import has_scheme
from tfpy.engine.errors import argument_error


def handler_for(where: str, kind: str, argument: str, target: Any, options: LoadOptions) -> Any:
    """The handler for a path, a URL or a pair of them; a handler is returned as it is.

    Args:
        where: the function, for messages.
        kind: 'save' or 'load'.
        argument: the name of the function's parameter, for messages.
        target: the function's argument.
        options: the load options.
    """
    if _method_of(target, kind) is not None:
        return target
    if kind == "load" and isinstance(target, Mapping):
        return ParsedModel(target, options)
    path = os.fspath(target) if isinstance(target, os.PathLike) else target
    if not isinstance(path, (str, list, tuple)) or not path:
        expected = f"a path, a URL, or a handler with a {kind} method"
        raise argument_error(where, argument, expected, target, TypeError)
    if kind == "load":
        _check_to_load(where, argument, path)
    found = get_save_handlers(path) if kind == "save" else get_load_handlers(path, _for_routers(options))
    if len(found) > 1:
        raise ValueError(f"{where}: {len(found)} handlers accept {path!r}; there must be only one.")
    if found:
        return found[0]
    if not isinstance(path, str) or "://" in path:
        raise ValueError(
            f"{where}: no handler can {kind} {path!r}. Give a path, a file:// or http(s):// URL or a handler, or "
            f"register a router with tf.io.register_{kind}_router."
        )
    return FileSystem(path, options)


def _check_to_load(where: str, argument: str, path: str | Sequence[Any]) -> None:
    """Reject what looks like a path or URL but is something else, or a format that can only be written."""
    if isinstance(path, str) and path.lstrip().startswith("{") and not os.path.exists(path):
        expected = "a path, a URL or a handler; of the text of a model.json, give json.loads(text)"
        raise argument_error(where, argument, expected, path)
    if _is_onnx(path):
        raise ModelFileError(f"{path}: ONNX files can be written, but not read; load the model's original file.")


def _for_routers(options: LoadOptions) -> Entries:
    """The options by name; None for those that the user has not given."""
    return Entries({name: options.get(name) for name in LoadOptions.__annotations__})


def _is_onnx(path: Any) -> bool:
    """Whether a path or a URL leads to an ONNX file; models in the local store may have any name."""
    is_file = isinstance(path, str) and ("://" not in path or has_scheme(path, "file", "http", "https"))
    return is_file and path.lower().endswith(".onnx") and not os.path.isdir(path)


def _method_of(handler: Any, name: str) -> Callable[..., Any] | None:
    """A handler's method: of an object, or an entry of a dict of functions."""
    if isinstance(handler, (str, bytes, os.PathLike, list, tuple)):
        return None
    found = handler.get(name) if isinstance(handler, Mapping) else getattr(handler, name, None)
    return found if callable(found) else None


def _required_method(where: str, argument: str, handler: Any, kind: str) -> Callable[..., Any]:
    """The method of a handler, which a user's router may have returned without one."""
    found = _method_of(handler, kind)
    if found is None:
        raise argument_error(where, argument, f"a handler with a {kind} method", handler, TypeError)
    return found


def load_artifacts(where: str, argument: str, source: Any, options: LoadOptions) -> Loaded:
    """The artifacts from a path, URL or handler, which is an argument, and the name of their source in messages."""
    handler = handler_for(where, "load", argument, source, options)
    if isinstance(handler, LoadHandler):
        artifacts, label = handler.read()
    else:
        load = _required_method(where, argument, handler, "load")
        artifacts, label = as_artifacts(finish(load()), where), "the model"
    return Loaded(with_weight_data(artifacts, label), label)


def save_artifacts(where: str, argument: str, target: Any, artifacts: ModelArtifacts) -> SaveResult:
    """Hand artifacts to the handler for a path or URL, or to a handler itself, which is an argument."""
    handler = handler_for(where, "save", argument, target, LoadOptions())
    save = _required_method(where, argument, handler, "save")
    return as_save_result(finish(save(artifacts)))
