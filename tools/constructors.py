"""Factories of classes whose constructors have their options as parameters: the same signature and docstring."""

from __future__ import annotations

import ast
from copy import deepcopy

from source import NOTICE, PACKAGE, Module, annotation_names, imports_for, read_module, signature

PATH = PACKAGE / "core/optimizers/_factories.py"

# The headings in the reference, by the module of the classes.
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
            functions.append(_factory(path, node, constructor, _HEADINGS[module.path.stem]))
    head = NOTICE.format("The factories of `tf.train`, from the constructors and docstrings of their classes.")
    imports = ["from tfpy.core.registry import export", *imports_for(needs)]
    return head + "\n".join(imports) + "\n" + "".join(functions)


def _factory(path: str, node: ast.ClassDef, constructor: ast.FunctionDef, heading: str) -> str:
    namespace, _, name = path.rpartition(".")
    by_place = [a.arg for a in constructor.args.args[1:]]
    by_name = [f"{a.arg}={a.arg}" for a in constructor.args.kwonlyargs]
    return (
        f'\n\n@export(namespace="{namespace}", doc="{heading}")\n'
        f"def {name}({signature(constructor, skip=1)}) -> {node.name}:\n"
        f'    """{ast.get_docstring(node, clean=False)}"""\n'
        f"    return {node.name}({', '.join([*by_place, *by_name])})\n"
    )


def _constructor(module: Module, node: ast.ClassDef) -> ast.FunctionDef:
    """A class's constructor, with each option that it takes together with others by `**options: Unpack[Options]`."""
    found = next(n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__")
    constructor = deepcopy(found)
    args = constructor.args
    if args.kwarg is not None:
        assert isinstance(args.kwarg.annotation, ast.Subscript)
        for item in _class(module, ast.unparse(args.kwarg.annotation.slice)).body:
            if isinstance(item, ast.AnnAssign):
                args.kwonlyargs.append(ast.arg(ast.unparse(item.target), item.annotation))
                args.kw_defaults.append(ast.Constant(None))
        args.kwarg = None
    return constructor


def _class(module: Module, name: str) -> ast.ClassDef:
    """A class that a module imports."""
    _, source, *_ = module.imports[name].split(" ")
    there = read_module(PACKAGE.parent / f"{source.replace('.', '/')}.py")
    return next(n for n in there.tree.body if isinstance(n, ast.ClassDef) and n.name == name)
