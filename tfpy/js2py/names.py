"""Names: the Python names of a script's own names, and the tables of tfpy's names."""

from __future__ import annotations

import builtins
import functools
import inspect
import keyword
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import tfpy as tf
from tfpy import legacy as dl
from tfpy.core.naming.elsewhere import OF_MODULES
from tfpy.core.naming.names import camel

# The roots of paths into the package: TF.js's face, and that of deeplearn.js.
ROOTS = {"tf": tf, "dl": dl}

# Python modules that the converted code may import: no variable may have such a name.
STANDARD = {
    "argparse",
    "copy",
    "datetime",
    "functools",
    "json",
    "math",
    "os",
    "pathlib",
    "random",
    "re",
    "shutil",
    "sys",
    "tempfile",
    "time",
}
_TAKEN = (
    STANDARD
    | {"np", "pytest", *ROOTS}
    | set(keyword.kwlist)
    | {name for name in dir(builtins) if name.islower()}
    | {"self"}
)


def snake(name: str) -> str:
    """A script's own name in PEP 8 style; constants and classes are unchanged."""
    if name.isupper() or name[:1].isupper():
        return name
    name = name.lstrip("#$") if name.startswith("$") else name.replace("#", "_")
    name = re.sub(r"(\d)D(?![a-z])", r"\1d", name)  # as in conv2d
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name.replace("$", "_"))
    name = re.sub(r"([A-Z])([A-Z][a-z])", r"\1_\2", name).lower() or "_"
    return name if name.isidentifier() else f"_{name}"


def variable(name: str) -> str:
    """The name of a variable or a function: snake_case, and not a name of Python or its standard library."""
    found = snake(name)
    return f"{found}_" if found in _TAKEN else found


class Options(NamedTuple):
    """The options of a function of tfpy.

    Attributes:
        at: the position of the options dict.
        names: camelCase -> snake_case of the known options.
    """

    at: int
    names: dict[str, str]


def _respelled(known: Iterable[str], namespace: str = "") -> dict[str, str]:
    return {camel(name, namespace): name for name in known}


@functools.cache
def namespace(path: str) -> dict[str, str]:
    """camelCase -> snake_case of the members of a namespace such as "tf" or "tf.layers"; empty if there is none."""
    found = _module(path)
    if found is None:
        return {}
    known = [name for name in dir(found) if not name.startswith("_")]
    inner = path.partition(".")[2]
    return {name: name for name in known if not name.islower()} | {
        camel(name, inner): name for name in known if name.islower()
    }


def _module(path: str) -> Any:
    root, *parts = path.split(".")
    found: Any = ROOTS[root]
    for part in parts:
        found = getattr(found, part, None)
    return found if inspect.ismodule(found) else None


# Old names of TF.js before 1.0.
_MOVED = {
    "tf.loadModel": ["tf", "loadLayersModel"],
    "tf.fromPixels": ["tf", "browser", "fromPixels"],
    "tf.toPixels": ["tf", "browser", "toPixels"],
}


def resolve(path: list[str]) -> tuple[str, Any] | None:
    """tfpy's spelling of a path such as ["tf", "layers", "leakyReLU"], and the object there; None if there is none.

    Its first part is one of `ROOTS`.
    """
    path = _MOVED.get(".".join(path), path)
    spelled, found = path[0], ROOTS[path[0]]
    for part in path[1:]:
        name = namespace(spelled).get(part, part) if inspect.ismodule(found) else attribute_of_tfpy(part) or part
        name = f"{name}_" if keyword.iskeyword(name) else name
        try:
            found = getattr(found, name)
        except AttributeError:
            return None
        spelled = f"{spelled}.{name}"
    return spelled, found


def missing(path: list[str]) -> str:
    """The message for a path that `resolve` does not know."""
    known = OF_MODULES.get(path[-1], "") if path[0] == "tf" else ""
    return f"tfpy has no {'.'.join(path)}" + (f"; in tfpy it is {known}" if known else "")


@functools.cache
def classes() -> dict[str, type]:
    """The public classes of tfpy by name."""
    spaces = (tf, tf.layers, tf.data, tf.callbacks, tf.initializers, tf.regularizers, tf.constraints, tf.train)
    return {name: c for space in spaces for name, c in vars(space).items() if inspect.isclass(c) and name[0].isupper()}


@functools.cache
def attributes() -> dict[str, str]:
    """camelCase -> snake_case of the members of tfpy's objects: methods, properties and options of layers."""
    known = {name for c in classes().values() for name in dir(c) if not name.startswith("_") and name.islower()}
    known |= {"attrs", "done"}  # attributes of a registered op's argument, and of an iterator's result
    for c in (*classes().values(), tf.layers.Layer):
        known |= {*getattr(c, "options", ()), *getattr(c, "base_options", ())}
    return _respelled(sorted(known))


@functools.cache
def config_keys() -> dict[str, str]:
    """camelCase -> snake_case of the keys in the configurations of tfpy's objects."""
    optimizers = (c for c in classes().values() if issubclass(c, tf.Optimizer))
    known = {name for c in optimizers for base in c.__mro__ for name in inspect.get_annotations(base)}
    return attributes() | _respelled(sorted(name for name in known if name.islower() and not name.startswith("_")))


@functools.cache
def legacy_classes() -> list[str]:
    """The classes of deeplearn.js that its tutorials use without an import."""
    known = {name for name, c in vars(dl).items() if inspect.isclass(c) and name[0].isupper()}
    return sorted(
        known - {"Environment", "Node", "Tensor", "Variable"}
    )  # which a page or a script may use for something else


@functools.cache
def _legacy_attributes() -> dict[str, str]:
    """The same for deeplearn.js, which has several spellings of some names: the longest one is used."""
    found: dict[str, str] = {}
    for c in vars(dl).values():
        known = [name for name in dir(c) if not name.startswith("_")] if inspect.isclass(c) else []
        spelled = {name.replace("_", ""): name for name in sorted(known, key=len) if name.islower()}
        found |= {name: spelled[name.lower()] for name in known if name.lower() in spelled}
    return found


def attribute_of_tfpy(name: str) -> str | None:
    """The name of an attribute of any tfpy object."""
    return attributes().get(name) or _legacy_attributes().get(name)


def attribute(name: str) -> str:
    """The name of an attribute: tfpy's if it has one, otherwise the script's own."""
    found = attribute_of_tfpy(name) or snake(name)
    return f"{found}_" if keyword.iskeyword(found) else found


def options_of(function: Any) -> Options | None:
    """The options that a tfpy function takes; None if it takes none as a dict."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    given = list(signature.parameters.values())
    for at, parameter in reversed(list(enumerate(given))):
        if "Mapping[str, Any]" in str(parameter.annotation) and parameter.kind is not parameter.KEYWORD_ONLY:
            named = [p.name for p in given[at + 1 :] if p.kind is p.KEYWORD_ONLY]
            return Options(at - (given[0].name == "self"), _respelled(named)) if named else None
    return None


@functools.cache
def method_options() -> dict[str, Options]:
    """The options of the methods of all tfpy classes, by method name in snake_case."""
    found: dict[str, Options] = {}
    for c in classes().values():
        for name in dir(c):
            options = None if name.startswith("_") or not name.islower() else options_of(getattr(c, name, None))
            if options is not None:
                known = found.setdefault(name, options)
                found[name] = Options(known.at, known.names | options.names)
    return found


def result(function: object) -> str:
    """The declared result of a tfpy function or property; empty if there is none."""
    if isinstance(function, property):
        function = function.fget
    return str(getattr(function, "__annotations__", {}).get("return", ""))


@functools.cache
def _method_results() -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for c in classes().values():
        for name in dir(c):
            if not name.startswith("_") and name.islower() and callable(getattr(c, name, None)):
                found.setdefault(name, set()).add(result(getattr(c, name)))
    return {name: said.pop() for name, said in found.items() if len(said) == 1}


def method_result(name: str) -> str:
    """The declared result of a method if all tfpy classes that have it agree; otherwise empty."""
    return _method_results().get(attributes().get(name, ""), "")
