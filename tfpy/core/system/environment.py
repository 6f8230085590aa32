"""The environment: flags that change how tfpy behaves, debug and production mode, and the platform in use."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.registry import export, op
from tfpy.core.diagnostics.debugging import watch_for_errors
from tfpy.core.system._camel import EnvironmentCamel
from tfpy.core.system.platform import Platform
from tfpy.core.system.tfjs_flags import AS_OTHERS, IDLE_FLAGS
from tfpy.engine.arguments import as_function, as_int, as_string
from tfpy.engine.errors import argument_error, unknown_name_error
from tfpy.engine.machine import most_shards, set_most_shards
from tfpy.engine.warn import warn_user


class _Flag(NamedTuple):
    """A flag: the rule for its value, and the hooks called when it is set and reset."""

    rule: Callable[[], Any]
    set_hook: Callable[[Any], None] | None
    reset_hook: Callable[[], None] | None


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
        self._registered: dict[str, _Flag] = {}

    @accepts_options()
    def register_flag(
        self,
        flag_name: str,
        evaluation_fn: Callable[[], Any],
        set_hook: Callable[[Any], None] | None = None,
        reset_hook: Callable[[], None] | None = None,
    ) -> None:
        """Add a flag.

        Args:
            flag_name: its name.
            evaluation_fn: returns its value when it is first read without having been set.
            set_hook: called with the value when it is set.
            reset_hook: called when the value is reset, to undo the effects of setting it (beyond TF.js).
        """
        as_string("register_flag", "flag_name", flag_name)
        as_function("register_flag", "evaluation_fn", evaluation_fn)
        self._registered[flag_name] = _Flag(evaluation_fn, set_hook, reset_hook)

    @accepts_options()
    def get(self, flag_name: str) -> Any:
        """The value of a flag.

        Raises:
            ValueError: no such flag. RuntimeError: its rule is a coroutine; use `get_async`.
        """
        if flag_name not in self.flags:
            value = self._flag(flag_name).rule()
            if inspect.isawaitable(value):
                if inspect.iscoroutine(value):
                    value.close()
                raise RuntimeError(f"get: flag {flag_name!r} must be awaited; use get_async.")
            self.flags[flag_name] = value
        return self.flags[flag_name]

    @accepts_options()
    async def get_async(self, flag_name: str) -> Any:
        """The value of a flag whose rule may be a coroutine; asynchronous."""
        if not isinstance(flag_name, str) or flag_name not in self.flags:
            value = self._flag(flag_name).rule()
            self.flags[flag_name] = await value if inspect.isawaitable(value) else value
        return self.flags[flag_name]

    @accepts_options()
    def get_number(self, flag_name: str) -> Any:
        """The value of a flag that is a number."""
        return self.get(flag_name)

    @accepts_options()
    def get_bool(self, flag_name: str) -> Any:
        """The value of a flag that is a boolean."""
        return self.get(flag_name)

    @accepts_options()
    def get_string(self, flag_name: str) -> Any:
        """The value of a flag that is a string."""
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
        """Set a flag. TF.js's flags without meaning here are accepted with a warning.

        Raises:
            ValueError: no such flag.
        """
        hook = self._flag(flag_name).set_hook
        before = self.flags.copy()
        self.flags[flag_name] = value
        if hook is None:
            return
        try:
            hook(value)
        except BaseException:  # it has rejected the value
            self.flags.clear()
            self.flags.update(before)
            raise

    @accepts_options()
    def evaluate_flag(self, flag_name: str) -> Any:
        """The current value of a flag's rule."""
        return self._flag(flag_name).rule()

    @accepts_options()
    def set_flags(self, flags: Mapping[str, Any]) -> None:
        """Replace all values at once; no hook is called."""
        self.flags = dict(flags)

    def set_platform(self, platform_name: str, platform: Any) -> None:
        """Set the platform: an object with the methods of one."""
        self.platform_name = platform_name
        self.platform = platform

    def reset(self) -> None:
        """Reset all values; the rules compute new ones."""
        for name in self.flags.keys() & self._registered.keys():
            hook = self._registered[name].reset_hook
            if hook is not None:
                hook()
        self.flags = {}

    def __repr__(self) -> str:
        return f"Environment({', '.join(f'{name}={self.get(name)}' for name in self._effective())})"

    def _effective(self) -> list[str]:
        """The flags that have an effect here, each once."""
        return sorted(self._registered.keys() - IDLE_FLAGS.keys() - AS_OTHERS.keys())

    def _flag(self, flag_name: str) -> _Flag:
        if not isinstance(flag_name, str) or flag_name not in self._registered:
            raise unknown_name_error("flag", flag_name, self._registered, self._effective())
        return self._registered[flag_name]


ENV = Environment()


def _switch_debugging(on: Any) -> None:
    if on:
        warn_user("Debug mode is on: every result is read and checked for NaN and infinity, which is slow.")
    watch_for_errors(bool(on))


def _set_cpu_shards(count: Any) -> None:
    shards = as_int("set", "CPU_SHARDS", count)
    if shards < 0:
        raise argument_error("set", "CPU_SHARDS", "0 or more", count)
    set_most_shards(shards)


def _warn_of_no_effect(name: str, value: Any) -> None:
    warn_user(f"set: the flag {name} is for TF.js's backends, and has no effect here.")


ENV.register_flag("DEBUG", lambda: False, _switch_debugging, partial(watch_for_errors, False))
ENV.register_flag("PROD", lambda: False)
ENV.register_flag("IS_TEST", lambda: False)
ENV.register_flag("DEPRECATION_WARNINGS_ENABLED", lambda: True)
ENV.register_flag("CHECK_COMPUTATION_FOR_ERRORS", lambda: ENV.get("DEBUG"))
ENV.register_flag("CPU_SHARDS", most_shards, _set_cpu_shards, partial(set_most_shards, 0))
for _name in ("IS_BROWSER", "IS_NODE", "IS_CHROME", "IS_SAFARI"):
    ENV.register_flag(_name, lambda: False)
# The counterpart of `GraphModel.keep_intermediate_tensors` for all models.
ENV.register_flag("KEEP_INTERMEDIATE_TENSORS", lambda: False)
for _name, _value in IDLE_FLAGS.items():
    ENV.register_flag(_name, partial(lambda value: value, _value), partial(_warn_of_no_effect, _name))
for _name, _other in AS_OTHERS.items():
    ENV.register_flag(_name, partial(ENV.get, _other), partial(_warn_of_no_effect, _name))


@op(doc="Environment")
def env() -> Environment:
    """The environment of this process.

    Source: TF.js `tf.env`.
    """
    return ENV


@op(doc="Environment")
def enable_prod_mode() -> None:
    """Enable production mode: no deprecation warnings.

    Source: TF.js `tf.enableProdMode`.
    """
    ENV.set("PROD", True)


@op(doc="Environment")
def enable_debug_mode() -> None:
    """Enable debug mode: print each kernel with its time and shapes, and warn about the first NaN or infinity.

    `tf.env().set("DEBUG", False)` ends it.

    Source: TF.js `tf.enableDebugMode`.
    """
    ENV.set("DEBUG", True)


@op(doc="Environment")
def disable_deprecation_warnings() -> None:
    """Disable deprecation warnings.

    Source: TF.js `tf.disableDeprecationWarnings`.
    """
    ENV.set("DEPRECATION_WARNINGS_ENABLED", False)


@op(doc="Environment")
def deprecation_warn(msg: str) -> None:
    """Issue a deprecation warning, unless these are disabled.

    Source: TF.js `tf.deprecationWarn`.
    """
    if ENV.get("DEPRECATION_WARNINGS_ENABLED") and not ENV.get("PROD"):
        text = f"{msg} You can disable deprecation warnings with tf.disable_deprecation_warnings()."
        warn_user(text, DeprecationWarning)


@op(doc="Environment")
def set_platform(platform_name: str, platform: Any) -> None:
    """Set the platform: an object with the methods now, encode, decode and fetch.

    Source: TF.js `tf.setPlatform`.
    """
    ENV.set_platform(platform_name, platform)
