"""The generated files of the legacy generation: the derived methods of NDArrayMath and Graph, and 0.5's functions."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from source import (
    NOTICE,
    PACKAGE,
    Module,
    Public,
    annotation_names,
    camel,
    defined_names,
    imports_for,
    method_camel,
    modules,
    read_module,
    returns,
    signature,
)

TENSORS = {"Tensor", "Moments", "VariableGrads"}  # results that are tensors or consist of them


@dataclass
class Method:
    """A function that is a method of NDArrayMath, under one or more names."""

    module: Module
    node: ast.FunctionDef
    names: tuple[str, ...]
    eager: tuple[str, ...] = ()

    @property
    def alias(self) -> str:
        """The name of the module in the generated files."""
        package, _, name = self.module.name.rpartition(".")
        return ("legacy_" if package.startswith("tfpy.legacy") else "core_") + name

    @property
    def summary(self) -> str:
        return (ast.get_docstring(self.node) or "").split("\n", 1)[0]


def generated(public: list[Public]) -> dict[Path, str]:
    """Every generated file of the legacy generation."""
    own = [method for module in modules("legacy/ops") for method in _marked(module)]
    taken = {name for method in own for name in method.names}
    core = []
    for p in public:
        names = tuple(n for n in p.legacy if n not in taken)  # ops of legacy/ops take precedence over the core's
        if names and isinstance(p.node, ast.FunctionDef):
            core.append(Method(p.module, p.node, names))
    constants = _constants()
    return {
        PACKAGE / "legacy/_math.py": _math([m for m in (*core, *own) if m.names]),
        PACKAGE / "legacy/_graph.py": _graph(public, constants["GRAPH_OPS"].split()),
        PACKAGE / "legacy/_eager.py": _eager(public, own, constants["CORE_OPS_AS_FUNCTIONS"].split()),
        PACKAGE / "legacy/image.py": _namespace("image", public, own),
        PACKAGE / "legacy/losses.py": _namespace("losses", public, own),
        PACKAGE / "legacy/_chained.py": _chained(public, own, constants["CHAINED_OPS"].split()),
        **{
            PACKAGE / "legacy" / m.path.name: _helpers(m)
            for m in modules("legacy/helpers")
            if m.path.stem != "__init__"
        },
    }


def _marked(module: Module) -> list[Method]:
    """The functions of a module that are marked with @math_op(…), or only for 0.5's functions and methods."""
    found = []
    for node in module.tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for mark in node.decorator_list:
            if not isinstance(mark, ast.Call) or not isinstance(mark.func, ast.Name):
                continue
            if mark.func.id == "eager_op":
                found.append(Method(module, node, (), (ast.literal_eval(mark.args[0]),)))
            if mark.func.id == "math_op":
                values = {k.arg: ast.literal_eval(k.value) for k in mark.keywords}
                names = (node.name, *values.get("also", "").split())
                found.append(Method(module, node, names, tuple(values.get("eager", "").split())))
    return found


def _constants() -> dict[str, str]:
    """The constants of legacy/naming/generated_names.py."""
    found = {}
    for node in read_module(PACKAGE / "legacy/naming/generated_names.py").tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = ast.literal_eval(node.value)
    return found


def _math(methods: list[Method]) -> str:
    """`legacy/_math.py`: a method for each op."""
    head = 'class DerivedMath:\n    """Every op, in both spellings."""\n\n'
    title = "The ops that are methods of NDArrayMath, each calling the op."
    return _class(title, head, sorted(methods, key=lambda m: m.names[0]), 0)


def _chained(public: list[Public], own: list[Method], names: list[str]) -> str:
    """`legacy/_chained.py`: the ops that are methods of NDArray in deeplearn.js 0.5."""
    paths = {f"{p.namespace}.{p.name}".lstrip("."): p for p in public}
    chosen = {n: Method(m.module, m.node, (n,)) for m in own for n in m.eager if n in names}
    for name in names:
        p = paths.get(name)
        if name not in chosen and p is not None and isinstance(p.node, ast.FunctionDef):
            chosen[name] = Method(p.module, p.node, (name.rpartition(".")[2],))
    head = (
        'class ChainedOps:\n    """Ops with an array as their first argument, in both spellings."""\n\n'
        "    __slots__ = ()\n\n"
    )
    title = "The ops that are methods of NDArray, each calling the op."
    return _class(title, head, [chosen[name] for name in names], 1)


def _class(title: str, head: str, methods: list[Method], skip: int) -> str:
    """A file with a class of methods, each of which calls its op; `_run` adds the first `skip` arguments."""
    needs = [(m.module, annotation_names(m.node)) for m in methods]
    lines = [
        NOTICE.format(title),
        "from typing import TYPE_CHECKING, Any\n\nfrom tfpy.core.calling.options import accepts_options\n",
        *sorted({_module_import(m) for m in methods}),
        "\nif TYPE_CHECKING:\n",
        *[f"    {line}\n" for line in imports_for(needs, frozenset({"Any", "Tensor"}))],
        "    from collections.abc import Callable\n    from tfpy.legacy.arrays.ndarray import NDArray\n",
        f"\n\n{head}",
        "    if TYPE_CHECKING:\n\n        def _run(self, function: Callable[..., Any], *args: Any) -> Any: ...\n",
        *[_method(m, skip) for m in methods],
    ]
    return "".join(lines)


def _module_import(method: Method) -> str:
    package, _, name = method.module.name.rpartition(".")
    return f"from {package} import {name} as {method.alias}\n"


def _method(method: Method, skip: int) -> str:
    """One method, without the first `skip` parameters of its op, under its first name, and its other names."""
    node, name = method.node, method.names[0]
    result = returns(node).replace("Tensor", "NDArray")
    parameters = [a.arg for a in (*node.args.posonlyargs, *node.args.args)][skip:]
    marked = node.args.defaults or any("_" in p for p in parameters)
    text = "\n    @accepts_options()\n" if marked else "\n"
    text += f"    def {name}({signature(node, skip, 'self')}) -> {result}:\n"
    text += f'        """{method.summary}"""\n'
    arguments = ", ".join([f"{method.alias}.{node.name}", *parameters])
    text += f"        result: {result} = self._run({arguments})\n        return result\n\n"
    for other in _spellings(method.names):
        text += f"    {other} = {name}\n"
    return text


def _spellings(names: tuple[str, ...]) -> list[str]:
    """The other names of a method: those after the first, and deeplearn.js's spelling of each."""
    found = []
    for name in names:
        for spelling in (name, method_camel("NDArrayMath", name)):
            if spelling != names[0] and spelling not in found:
                found.append(spelling)
    return found


def _graph(public: list[Public], names: list[str]) -> str:
    """`legacy/_graph.py`: the methods of Graph that are ops of one array."""
    chosen = [p for name in names for p in public if p.name == name and not p.namespace]
    lines = [
        NOTICE.format("The methods of Graph that are an op of one array, element by element."),
        "from typing import TYPE_CHECKING, Any\n\n",
        *sorted({f"from {p.module.name} import {p.local_name} as core_{p.name}\n" for p in chosen}),
        "\nif TYPE_CHECKING:\n    from collections.abc import Callable\n",
        "    from tfpy.legacy.graphs.symbolic import Tensor\n",
        '\n\nclass DerivedGraph:\n    """Ops of one array, in both spellings."""\n\n    if TYPE_CHECKING:\n\n',
        "        def _elementwise(self, name: str, function: Callable[..., Any], x: Tensor) -> Tensor: ...\n",
    ]
    for p in chosen:
        lines.append(f"\n    def {p.name}(self, x: Tensor) -> Tensor:\n")
        lines.append(f'        """{p.summary}"""\n')
        lines.append(f'        return self._elementwise("{p.name}", core_{p.name}, x)\n\n')
    return "".join(lines)


def _wrapper(node: ast.AST) -> str:
    """The wrapper that makes a core function return arrays; empty if it returns no tensors."""
    if not isinstance(node, ast.FunctionDef):
        return ""
    result = returns(node)
    if result.startswith("Callable"):
        return "_of_functions_of_arrays"
    return "_giving_arrays" if TENSORS & {*result.replace("]", "").split("[")} else ""


def _eager(public: list[Public], own: list[Method], names: list[str]) -> str:
    """`legacy/_eager.py`: the functions of deeplearn.js 0.5 from the core and from legacy/ops."""
    paths = {f"{p.namespace}.{p.name}".lstrip("."): p for p in public}
    chosen = {p.name: (p.module, p.node) for p in (paths[n] for n in names if n in paths)}
    chosen |= {n: (m.module, m.node) for m in own for n in m.eager if "." not in n}
    title = "The functions that deeplearn.js 0.5 has beside its classes: its step towards TF.js."
    return NOTICE.format(title) + _functions(chosen, "")


def _namespace(space: str, public: list[Public], own: list[Method]) -> str:
    """`legacy/losses.py` or `legacy/image.py`: the functions of that namespace of the core, and 0.5's own."""
    chosen = {p.name: (p.module, p.node) for p in public if p.namespace == space}
    for method in own:
        for path in method.eager:
            if path.startswith(f"{space}."):
                chosen[path.partition(".")[2]] = method.module, method.node
    head = NOTICE.format(f"`dl.{space}`: the functions of `tf.{space}`, returning arrays.")
    same = "\n__wrapped__ = _core  # what `tfpy migrate` puts in its place\n"
    return head + f"from tfpy._api import {space} as _core\n" + _functions(chosen, space, same)


def _functions(chosen: dict[str, tuple[Module, Any]], space: str, constants: str = "") -> str:
    """Functions of the core and of legacy/ops, in both spellings, that return arrays; and constants after them."""
    wrapped = {name: wrapper for name, (_, node) in sorted(chosen.items()) if (wrapper := _wrapper(node))}
    lines = [f"from tfpy.legacy.eager import {w[1:]} as {w}\n" for w in sorted({*wrapped.values()})]
    for name, (module, node) in sorted(chosen.items()):
        lines.append(f"from {module.name} import {node.name} as {'_' * (name in wrapped)}{name}\n")
    lines += ["\n", *[f"{name} = {wrapper}(_{name})\n" for name, wrapper in wrapped.items()]]
    aliases = {camel(name, space): name for name in sorted(chosen) if camel(name, space) != name}
    lines += ["\n", *[f"{spelling} = {name}\n" for spelling, name in aliases.items()]]
    exported = ", ".join(f'"{name}"' for name in sorted([*chosen, *aliases]))
    return "".join(lines) + constants + f"\n__all__ = [{exported}]\n"


def _helpers(module: Module) -> str:
    """A namespace of helpers: the names that a module of legacy/helpers defines or imports from the core."""
    defined = [name for node in module.tree.body for name in defined_names(node)]
    given = [name for name, source in module.imports.items() if source.endswith(f" import {name} as {name}")]
    names = sorted(name for name in (*defined, *given) if not name.startswith("_"))
    lines = [NOTICE.format((ast.get_docstring(module.tree) or "").split("\n", 1)[0])]
    lines += [f"from {module.name} import {name} as {name}\n" for name in names]
    respelt = {name: method_camel(module.path.stem, name) for name in names if name.islower()}
    others = {spelling: name for name, spelling in respelt.items() if spelling != name}
    every = ", ".join(f'"{name}"' for name in sorted([*names, *others]))
    return "".join(
        [*lines, "\n", *[f"{spelling} = {name}\n" for spelling, name in others.items()], f"\n__all__ = [{every}]\n"]
    )
