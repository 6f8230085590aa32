"""The environment: flags that change how tfpy behaves, the platform's services, debug and production mode."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tfpy.core._camel import EnvironmentCamel
from tfpy.core.options import accepts_options
from tfpy.core.profiling import watch_for_errors
from tfpy.core.ready import Ready
from tfpy.core.registry import export, op
from tfpy.core.urls import has_scheme, local_path, open_web
from tfpy.engine.arguments import as_int
from tfpy.engine.errors import argument_error, unknown_name_error
from tfpy.engine.machine import most_shards, set_most_shards
from tfpy.engine.warn import warn_user


class Platform:
    """What the surroundings offer: the clock, text encoding, and fetching files.

    Any object with these methods can take its place (`set_platform`).
    """

    def now(self) -> float:
        """The time in milliseconds, with fractions; only differences mean something."""
        return time.perf_counter() * 1000

    def encode(self, text: str, encoding: str) -> bytes:
        """A text as bytes."""
        return text.encode(encoding)

    def decode(self, data: bytes, encoding: str) -> str:
        """Bytes as a text; what does not belong to the encoding is replaced."""
        return bytes(data).decode(encoding, errors="replace")

    def fetch(self, path: str, init: Mapping[str, Any] | None = None) -> Response:
        """What is at an http, https or file URL; `init` may hold a method, headers and a body.

        A server's answer that nothing was found, or another refusal, is an answer: see its `status`.

        Raises:
            OSError: no server answers, or the file cannot be read.
        """
        if has_scheme(path, "file"):
            return Response(Path(local_path(path)).read_bytes(), 200, path)
        from urllib.request import Request  # it takes as long to import as all of the core

        given = dict(init or {})
        body = given.get("body")
        data = body.encode() if isinstance(body, str) else body
        request = Request(path, data, dict(given.get("headers") or {}), method=given.get("method"))
        with open_web(request) as answer:
            return Response(answer.read(), answer.status, path)

    def is_typed_array(self, value: object) -> bool:
        """Whether a value is an array of numbers."""
        return isinstance(value, np.ndarray) and value.dtype.kind in "fiub"


class Response(Ready):
    """What `fetch` gives; it may be awaited.

    Attributes:
        content: the bytes of the file.
        status: the status of the answer.
        ok: whether it says that all went well.
        url: where the file is.
    """

    def __init__(self, content: bytes, status: int, url: str) -> None:
        self.content = content
        self.status = status
        self.ok = 200 <= status < 300
        self.url = url

    def text(self) -> str:
        """The content as a text."""
        return self.content.decode()

    def json(self) -> Any:
        """The content read as JSON."""
        import json

        return json.loads(self.content)


@export(doc="Environment")
class Environment(EnvironmentCamel):
    """Flags by name, each with a rule for its value until it is set, and the platform.

    Source: TF.js `tf.Environment`.
    """

    platform_name: str

    def __init__(self) -> None:
        self.flags: dict[str, Any] = {}
        self.platform: Any = Platform()
        self.platform_name = "python"
        self._rules: dict[str, tuple[Callable[[], Any], Callable[[Any], None] | None]] = {}

    @accepts_options()
    def register_flag(
        self, flag_name: str, evaluation_fn: Callable[[], Any], set_hook: Callable[[Any], None] | None = None
    ) -> None:
        """Add a flag.

        Args:
            flag_name: its name.
            evaluation_fn: gives its value when it is first read without having been set.
            set_hook: called with the value when it is set.
        """
        if not isinstance(flag_name, str):
            raise argument_error("register_flag", "flag_name", "a text", flag_name, TypeError)
        if not callable(evaluation_fn):
            raise argument_error("register_flag", "evaluation_fn", "a function", evaluation_fn, TypeError)
        self._rules[flag_name] = evaluation_fn, set_hook

    @accepts_options()
    def get(self, flag_name: str) -> Any:
        """The value of a flag.

        Raises:
            ValueError: no such flag. RuntimeError: its rule is a coroutine; use `get_async`.
        """
        if flag_name not in self.flags:
            value = self._rule(flag_name)()
            if inspect.isawaitable(value):
                if inspect.iscoroutine(value):
                    value.close()
                raise RuntimeError(f"get: flag {flag_name!r} has to be awaited; use get_async.")
            self.flags[flag_name] = value
        return self.flags[flag_name]

    @accepts_options()
    async def get_async(self, flag_name: str) -> Any:
        """The value of a flag whose rule may be a coroutine; to be awaited."""
        if not isinstance(flag_name, str) or flag_name not in self.flags:
            value = self._rule(flag_name)()
            self.flags[flag_name] = await value if inspect.isawaitable(value) else value
        return self.flags[flag_name]

    @accepts_options()
    def get_number(self, flag_name: str) -> Any:
        """The value of a flag that is a number."""
        return self.get(flag_name)

    @accepts_options()
    def get_bool(self, flag_name: str) -> Any:
        """The value of a flag that is a truth value."""
        return self.get(flag_name)

    @accepts_options()
    def get_string(self, flag_name: str) -> Any:
        """The value of a flag that is a text."""
        return self.get(flag_name)

    def get_flags(self) -> dict[str, Any]:
        """The flags that have a value, by name."""
        return self.flags

    @property
    def features(self) -> dict[str, Any]:
        """The flags that have a value, by name."""
        return self.flags

    @accepts_options()
    def set(self, flag_name: str, value: Any) -> None:
        """Give a flag a value.

        Raises:
            ValueError: no such flag.
        """
        _, hook = self._entry(flag_name)
        before = self.flags.copy()
        self.flags[flag_name] = value
        if hook is None:
            return
        try:
            hook(value)
        except BaseException:  # it has refused the value
            self.flags.clear()
            self.flags.update(before)
            raise

    @accepts_options()
    def evaluate_flag(self, flag_name: str) -> Any:
        """What a flag's rule gives now."""
        return self._rule(flag_name)()

    @accepts_options()
    def set_flags(self, flags: Mapping[str, Any]) -> None:
        """Replace all values at once; no hook is called."""
        self.flags = dict(flags)

    def set_platform(self, platform_name: str, platform: Any) -> None:
        """Let an object with the methods of a platform serve from here on."""
        self.platform_name = platform_name
        self.platform = platform

    def reset(self) -> None:
        """Forget all values; the rules give new ones."""
        for name in list(self.flags):
            hook = self._rules[name][1] if name in self._rules else None
            if hook is not None and self.flags[name]:
                hook(False)
        self.flags = {}

    def __repr__(self) -> str:
        return f"Environment({', '.join(f'{name}={self.get(name)}' for name in sorted(self._rules))})"

    def _entry(self, flag_name: str) -> tuple[Callable[[], Any], Callable[[Any], None] | None]:
        if not isinstance(flag_name, str) or flag_name not in self._rules:
            raise unknown_name_error("flag", flag_name, self._rules)
        return self._rules[flag_name]

    def _rule(self, flag_name: str) -> Callable[[], Any]:
        return self._entry(flag_name)[0]


ENV = Environment()


def _switch_debugging(on: Any) -> None:
    if on:
        warn_user(
            "Debug mode is on: every result is read and checked for NaN and infinities, which takes a lot of time."
        )
    watch_for_errors(bool(on))


def _cut_into(count: Any) -> None:
    shards = as_int("set", "CPU_SHARDS", count or 0)  # False when the flags are reset
    if shards < 0:
        raise argument_error("set", "CPU_SHARDS", "0 or more", count)
    set_most_shards(shards)


ENV.register_flag("DEBUG", lambda: False, _switch_debugging)
ENV.register_flag("PROD", lambda: False)
ENV.register_flag("IS_TEST", lambda: False)
ENV.register_flag("DEPRECATION_WARNINGS_ENABLED", lambda: True)
ENV.register_flag("CHECK_COMPUTATION_FOR_ERRORS", lambda: ENV.get("DEBUG"))
ENV.register_flag("CPU_SHARDS", most_shards, _cut_into)
for _name in ("IS_BROWSER", "IS_NODE", "IS_CHROME", "IS_SAFARI"):
    ENV.register_flag(_name, lambda: False)


@op(doc="Environment")
def env() -> Environment:
    """The environment of this process.

    Source: TF.js `tf.env`.
    """
    return ENV


@op(doc="Environment")
def enable_prod_mode() -> None:
    """Production mode: no warnings about what is deprecated.

    Source: TF.js `tf.enableProdMode`.
    """
    ENV.set("PROD", True)


@op(doc="Environment")
def enable_debug_mode() -> None:
    """Debug mode: each kernel is printed with its time and shapes, and the first NaN or infinity is warned about.

    `tf.env().set("DEBUG", False)` ends it.

    Source: TF.js `tf.enableDebugMode`.
    """
    ENV.set("DEBUG", True)


@op(doc="Environment")
def disable_deprecation_warnings() -> None:
    """Warn no more about what is deprecated.

    Source: TF.js `tf.disableDeprecationWarnings`.
    """
    ENV.set("DEPRECATION_WARNINGS_ENABLED", False)


@op(doc="Environment")
def deprecation_warn(msg: str) -> None:
    """Warn that something is deprecated, unless that was disabled.

    Source: TF.js `tf.deprecationWarn`.
    """
    if ENV.get("DEPRECATION_WARNINGS_ENABLED") and not ENV.get("PROD"):
        text = f"{msg} You can disable deprecation warnings with tf.disable_deprecation_warnings()."
        warn_user(text, DeprecationWarning)


@op(doc="Environment")
def set_platform(platform_name: str, platform: Any) -> None:
    """Let an object with the methods now, encode, decode and fetch serve from here on.

    Source: TF.js `tf.setPlatform`.
    """
    ENV.set_platform(platform_name, platform)
