"""Factories of classes whose constructors have their options as parameters: the same signature and docstring."""

from __future__ import annotations

import ast
from copy import deepcopy
from itertools import pairwise

from source import NOTICE, PACKAGE, Module, annotation_names, class_of, imports_for, signature

PATH = PACKAGE / "core/optimizers/_factories.py"

# The headings in the reference, by the classes' module.
_HEADINGS = {"classes": "Training / Optimizers", "schedules": "Training / Learning rates"}


def factories(modules: list[Module]) -> str:
    """The source of the factory of every class with `factory="namespace.name"` among its class arguments."""
    needs = []
    functions = []
    classes = [(m, node) for m in modules for node in m.tree.body if isinstance(node, ast.ClassDef)]
    for module, node in classes:
        for path in [ast.literal_eval(k.value) for k in node.keywords if k.arg == "factory"]:
            constructor = _constructor(module, node)
            needs.append((module, {node.name, *annotation_names(constructor)}))
            doc = _described(node, _shared(module, node))
            functions.append(_factory(path, node, constructor, doc, _HEADINGS[module.path.stem]))
    head = NOTICE.format("The factories of `tf.train`, from the constructors and docstrings of their classes.")
    imports = ["from tfpy.core.calling.registry import export", *imports_for(needs)]
    return head + "\n".join(imports) + "\n" + "".join(functions)


def _factory(path: str, node: ast.ClassDef, constructor: ast.FunctionDef, doc: str, heading: str) -> str:
    namespace, _, name = path.rpartition(".")
    by_place = [a.arg for a in constructor.args.args[1:]]
    by_name = [f"{a.arg}={a.arg}" for a in constructor.args.kwonlyargs]
    return (
        f'\n\n@export(namespace="{namespace}", doc="{heading}")\n'
        f"def {name}({signature(constructor, skip=1)}) -> {node.name}:\n"
        f'    """{doc}"""\n'
        f"    return {node.name}({', '.join([*by_place, *by_name])})\n"
    )


def _constructor(module: Module, node: ast.ClassDef) -> ast.FunctionDef:
    """A class's constructor, with the options of its `**options: Unpack[Options]` as separate parameters."""
    constructor = deepcopy(_written(node))
    for item, _ in _shared(module, node):
        constructor.args.kwonlyargs.append(ast.arg(ast.unparse(item.target), item.annotation))
        constructor.args.kw_defaults.append(ast.Constant(None))
    constructor.args.kwarg = None
    return constructor


def _written(node: ast.ClassDef) -> ast.FunctionDef:
    return next(n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__")


def _shared(module: Module, node: ast.ClassDef) -> list[tuple[ast.AnnAssign, str]]:
    """The options in a constructor's TypedDict, each with the text below it."""
    kwarg = _written(node).args.kwarg
    if kwarg is None:
        return []
    assert isinstance(kwarg.annotation, ast.Subscript)
    options = class_of(module, ast.unparse(kwarg.annotation.slice))
    assert options is not None
    return [
        (item, str(text.value.value))
        for item, text in pairwise(options[1].body)
        if isinstance(item, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    ]


def _described(node: ast.ClassDef, shared: list[tuple[ast.AnnAssign, str]]) -> str:
    """The docstring of a class, with shared options after its own."""
    parts = (ast.get_docstring(node, clean=False) or "").split("\n\n")
    lines = [f"\n        {ast.unparse(item.target)}: {text[:1].lower()}{text[1:]}" for item, text in shared]
    return "\n\n".join(part + "".join(lines) if part.startswith("    Args:") else part for part in parts)
