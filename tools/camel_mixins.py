"""TF.js's spellings of the methods and properties of classes."""

from __future__ import annotations

import ast
from collections import defaultdict
from copy import deepcopy
from pathlib import Path

from source import NOTICE, Module, annotation_names, camel, imports_for, method_camel, returns, signature


def camel_mixins(module_paths: list[Module]) -> dict[Path, str]:
    """A `_camel.py` in each folder whose classes name a `…Camel` base: TF.js's spellings of their methods."""
    by_folder: dict[Path, list[tuple[Module, ast.ClassDef, str]]] = defaultdict(list)
    for module in module_paths:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                for base in node.bases:
                    if isinstance(base, ast.Name) and base.id == f"{node.name}Camel":
                        by_folder[module.path.parent].append((module, node, base.id))
    return {folder / "_camel.py": _camel_file(classes) for folder, classes in by_folder.items()}


def _camel_file(classes: list[tuple[Module, ast.ClassDef, str]]) -> str:
    needs = []
    bodies = []
    for module, node, mixin in sorted(classes, key=lambda c: c[2]):
        typed, bound = [], []
        for item in _members(node):
            for name, kind, function in _respelt(node.name, item):
                if function is not None:
                    needs.append((module, annotation_names(function)))
                    typed.append(_typed_member(method_camel(node.name, name), kind, function))
                bound.append(_bound_member(method_camel(node.name, name), name, kind))
        bodies.append(
            f'\n\nclass {mixin}(BothSpellings):\n    """TF.js\'s spellings for {node.name}."""\n\n'
            + "    __slots__ = ()\n\n    if TYPE_CHECKING:\n"
            + "".join(typed)
            + "\n    else:\n"
            + "".join(bound)
        )
    imports = imports_for(needs)
    head = NOTICE.format("TF.js's spellings of methods and properties, calling those of the snake_case names.")
    head += "from typing import TYPE_CHECKING\n\n"
    head += "from tfpy.core.naming.spelling import BothSpellings, forward, forward_property\n"
    if imports:
        head += "\nif TYPE_CHECKING:\n" + "".join(f"    {line}\n" for line in imports)
    return head + "".join(bodies)


def _members(node: ast.ClassDef) -> list[ast.stmt]:
    """The members that a class defines, including declarations for type checkers."""
    found: list[ast.stmt] = []
    for item in node.body:
        found += item.body if isinstance(item, ast.If) and ast.unparse(item.test) == "TYPE_CHECKING" else [item]
    return found


Function = ast.FunctionDef | ast.AsyncFunctionDef


def _respelt(class_name: str, item: ast.stmt) -> list[tuple[str, str, Function | None]]:
    """The public member's name, kind and function, if TF.js spells it differently.

    An annotation without a value declares an attribute that instances have.
    """
    if isinstance(item, ast.AnnAssign) and item.value is None and isinstance(item.target, ast.Name):
        name = item.target.id
        declared = not name.startswith("_") and method_camel(class_name, name) != name
        return [(name, "attribute", _reader(name, item.annotation))] if declared else []
    if not isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) or item.name.startswith("_"):
        return []
    if method_camel(class_name, item.name) == item.name:
        return []
    decorators = [ast.unparse(d) for d in item.decorator_list]
    if any(d.endswith(".setter") for d in decorators):
        return [(item.name, "setter", item)]
    if "property" in decorators:
        return [(item.name, "property", item)]
    kind = "static" if {"staticmethod", "classmethod"} & set(decorators) else "method"
    return [(item.name, kind, item)]


def _reader(name: str, annotation: ast.expr) -> ast.FunctionDef:
    """A property's function with this annotation."""
    stub = ast.parse(f"def {name}(self) -> {ast.unparse(annotation)}: ...").body[0]
    assert isinstance(stub, ast.FunctionDef)
    return stub


def _typed_member(spelling: str, kind: str, function: Function) -> str:
    if kind == "attribute":
        return f"\n        {spelling}: {returns(function)}\n"
    decorators = {"property": "property", "setter": f"{spelling}.setter", "static": "classmethod"}
    prefix = f"        @{decorators[kind]}\n" if kind in decorators else ""
    first = "cls" if kind == "static" else "self"
    skip = 0 if "staticmethod" in [ast.unparse(d) for d in function.decorator_list] else 1
    asynchronous = "async " if isinstance(function, ast.AsyncFunctionDef) else ""
    parameters = signature(_parameters_spelt(function), skip, first)  # type: ignore[arg-type]
    return f"\n{prefix}        {asynchronous}def {spelling}({parameters}) -> {returns(function)}: ...\n"


def _parameters_spelt(function: Function) -> Function:
    """The function with TF.js's spelling of its parameters' names.

    If keywords are accepted in one spelling only, parameters are positional: a subclass may name them differently.
    """
    respelt = deepcopy(function)
    args = respelt.args
    places = [*args.posonlyargs, *args.args]
    differs = any(camel(p.arg, "") != p.arg for p in places)
    for parameter in (*places, *args.kwonlyargs):
        parameter.arg = camel(parameter.arg, "")
    if differs and not args.vararg and not any("accepts_options" in ast.unparse(d) for d in function.decorator_list):
        args.posonlyargs, args.args = places, []
    return respelt


def _bound_member(spelling: str, name: str, kind: str) -> str:
    maker = {
        "method": f"forward({name!r})",
        "static": f"classmethod(forward({name!r}))",
        "property": f"forward_property({name!r})",
        "attribute": f"forward_property({name!r}, writable=True)",
        "setter": f"forward_property({name!r}, writable=True)",
    }[kind]
    return f"        {spelling} = {maker}\n"
