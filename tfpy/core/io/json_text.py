"""JSON of saved models: read from untrusted files, bounded in size and depth; written so that browsers can read it."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

from tfpy.core.io.errors import MAX_JSON_BYTES, MAX_JSON_DEPTH, ModelFileError
from tfpy.engine.errors import Unquoted, show

# The largest double has 309.
_MAX_DIGITS = 308
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_json(text: bytes, source: str) -> dict[str, Any]:
    """The JSON object in a file.

    Raises:
        ModelFileError: not UTF-8, not JSON, not an object, too large, or nested too deeply.
    """
    if len(text) > MAX_JSON_BYTES:
        raise ModelFileError(f"{source}: has more than {MAX_JSON_BYTES} bytes, too many for a model.json.")
    try:
        value = json.loads(
            text.decode("utf-8-sig"), parse_constant=_no_number, parse_int=_whole_number, parse_float=_number
        )
    except RecursionError:
        raise _too_deep(source) from None
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{source}: is not UTF-8 text (byte {error.start}), and so not JSON.") from None
    except ValueError as error:
        raise ModelFileError(f"{source}: is not valid JSON: {error}.") from None
    if not isinstance(value, dict):
        raise ModelFileError(f"{source}: must hold a JSON object, but holds a {type(value).__name__}.")
    check_depth(value, source)
    return value


def check_depth(value: Any, source: str) -> None:
    """Raise ModelFileError if lists and objects are nested more deeply than in any real model."""
    level: list[Any] = [value]
    for _ in range(MAX_JSON_DEPTH):
        containers = [v for v in level if isinstance(v, (dict, list, tuple))]
        if not containers:
            return
        level = [v for c in containers for v in (c.values() if isinstance(c, dict) else c)]
    raise _too_deep(source)


def _too_deep(source: str) -> ModelFileError:
    return ModelFileError(f"{source}: is nested more than {MAX_JSON_DEPTH} levels deep, which no model is.")


def _no_number(token: str) -> Any:
    raise ValueError(f"{token} is not a JSON number")


def _whole_number(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"{show(Unquoted(digits))} is out of the range of JavaScript's numbers")
    return int(digits)


def _number(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{show(Unquoted(text))} is out of the range of JavaScript's numbers")
    return number


def json_text(value: Any, source: str) -> str:
    """JSON that browsers can read: NaN and infinities are rejected, numpy numbers are numbers, lone surrogates, which
    UTF-8 cannot encode, are escaped.

    Raises:
        ModelFileError: a value that JSON cannot represent.
    """
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False, default=_plain, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"{source}: cannot be written as JSON: {error}.") from None
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "tolist"):  # of numpy: a number for a scalar, else lists
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is not plain data")
