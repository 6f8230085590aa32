"""Reads the marks in the package's source: public ops and classes, their signatures, and classes to be respelt.

Nothing is imported: the generated files can be made anew even when they are missing or broken.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "tfpy"


@dataclass
class Module:
    """A source file: its dotted name, its tree, and where each name in it comes from."""

    name: str
    path: Path
    tree: ast.Module
    imports: dict[str, str] = field(default_factory=dict)

    def origin(self, name: str) -> str | None:
        """The import statement that brings a name of this module into another one; None for builtins."""
        if name in self.imports:
            return self.imports[name]
        for node in self.tree.body:
            if name in defined_names(node):
                return f"from {self.name} import {name}"
        return None


@dataclass
class Public:
    """A function or class that is part of the public API."""

    name: str
    module: Module
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    namespace: str = ""
    chain: bool = False
    legacy: tuple[str, ...] = ()
    doc: str = ""
    aliases: tuple[str, ...] = ()

    @property
    def local_name(self) -> str:
        return self.node.name

    @property
    def summary(self) -> str:
        return (ast.get_docstring(self.node) or "").split("\n", 1)[0]


def modules(*folders: str) -> Iterator[Module]:
    """The hand-written modules under folders of the package, sorted by path."""
    for folder in folders:
        base = PACKAGE / folder
        paths = [base] if base.is_file() else sorted(base.rglob("*.py"))
        for path in paths:
            if path.name.startswith("_") and path.name != "__init__.py":
                continue
            yield read_module(path)


def read_module(path: Path) -> Module:
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    module = Module(name, path, ast.parse(path.read_text(encoding="utf-8")))
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module != "__future__":
            for alias in node.names:
                text = alias.name if alias.asname is None else f"{alias.name} as {alias.asname}"
                module.imports[alias.asname or alias.name] = f"from {node.module} import {text}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    module.imports[alias.asname] = f"import {alias.name} as {alias.asname}"
                else:
                    module.imports[alias.name.split(".")[0]] = f"import {alias.name}"
    return module


def defined_names(node: ast.stmt) -> list[str]:
    if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [t.id for t in node.targets if isinstance(t, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []


def public_name(name: str) -> str:
    """As in `tfpy.core.registry`: without a trailing underscore, which only a keyword keeps."""
    bare = name.rstrip("_")
    return name if keyword.iskeyword(bare) else bare


def public_in(module: Module) -> Iterator[Public]:
    """What is marked with @op(…) or @export(…) in a module, and again for each of its aliases."""
    for node in module.tree.body:
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        for decorator in node.decorator_list:
            mark = decorator.func if isinstance(decorator, ast.Call) else decorator
            if isinstance(mark, ast.Name) and mark.id in ("op", "export"):
                keywords = decorator.keywords if isinstance(decorator, ast.Call) else []
                values = {k.arg: ast.literal_eval(k.value) for k in keywords if k.arg}
                aliases = tuple(values.get("aliases", "").split())
                yield Public(
                    public_name(node.name),
                    module,
                    node,
                    values.get("namespace", ""),
                    values.get("chain", False),
                    tuple(values.get("legacy", "").split()),
                    values.get("doc", ""),
                    aliases,
                )
                for alias in aliases:
                    namespace, _, name = alias.rpartition(".")
                    yield Public(name, module, node, namespace)


def signature(node: ast.FunctionDef, skip: int = 0, first: str | None = None) -> str:
    """The parameters as source text, without the first `skip` of them, after a parameter `first`."""
    args = node.args
    parameters = [*args.posonlyargs, *args.args]
    defaults: list[ast.expr | None] = [None] * (len(parameters) - len(args.defaults))
    defaults += list(args.defaults)
    out = [first] if first else []
    for i, (parameter, default) in enumerate(zip(parameters, defaults, strict=True)):
        if i >= skip:
            out.append(_parameter(parameter, default))
            if i + 1 == len(args.posonlyargs):
                out.append("/")
    if args.vararg:
        out.append("*" + _parameter(args.vararg, None))
    elif args.kwonlyargs:
        out.append("*")
    for parameter, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        out.append(_parameter(parameter, default))
    if args.kwarg:
        out.append("**" + _parameter(args.kwarg, None))
    return ", ".join(out)


def _parameter(parameter: ast.arg, default: ast.expr | None) -> str:
    text = parameter.arg
    if parameter.annotation is not None:
        text += f": {ast.unparse(parameter.annotation)}"
    if default is not None:
        spaced = " = " if parameter.annotation is not None else "="
        text += f"{spaced}{_default(default)}"
    return text


def _default(default: ast.expr) -> str:
    """A constant as it is; anything else as `...`, which says that there is one."""
    return ast.unparse(default) if isinstance(default, ast.Constant) else "..."


def returns(node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return ast.unparse(node.returns) if node.returns is not None else "None"


def annotation_names(node: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names that a function's annotations need."""
    args = node.args
    parameters = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    trees = [p.annotation for p in parameters if p is not None and p.annotation is not None]
    if node.returns is not None:
        trees.append(node.returns)
    return {n.id for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Name)}


def imports_for(needs: list[tuple[Module, set[str]]], without: frozenset[str] = frozenset()) -> list[str]:
    """Import statements for names used in modules, one per name, sorted; two origins of one name are an error."""
    found: dict[str, str] = {}
    for module, names in needs:
        for name in names - without:
            origin = module.origin(name)
            if origin is None:
                continue
            if found.setdefault(name, origin) != origin:
                raise SystemExit(f"{name} means {found[name]!r} and {origin!r}: rename one of them.")
    return sorted(set(found.values()))
