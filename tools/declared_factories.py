"""The factories of classes that declare options: their signatures in all forms, as source for a face."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field

from option_descriptions import OptionText, descriptions_of
from source import Module, imports_for

Camel = Callable[[str, str], str]
Option = tuple[str, ast.expr, ast.expr | None]


@dataclass
class Factory:
    """A class with `factory="namespace.name"` among its class arguments, and optionally `aliases="other names"`.

    Its lineage is the names of the class and its bases, the nearest first.
    """

    namespace: str
    name: str
    aliases: list[str]
    module: Module
    node: ast.ClassDef
    options: dict[str, tuple[Module, Option]]
    lineage: list[str]
    descriptions: dict[str, OptionText] = field(default_factory=dict)


def factories_in(modules: list[Module]) -> list[Factory]:
    """Every class with a factory, with its declared and inherited options."""
    classes = {(m.name, n.name): (m, n) for m in modules for n in m.tree.body if isinstance(n, ast.ClassDef)}
    found = []
    for module, node in classes.values():
        named = {k.arg: ast.literal_eval(k.value) for k in node.keywords if k.arg in ("factory", "aliases")}
        if "factory" in named:
            namespace, _, name = named["factory"].rpartition(".")
            options, lineage = _options(module, node, classes), _lineage(module, node, classes)
            if namespace == "layers":
                base = next(v for (_, name), v in classes.items() if name == "LayerOptions")
                options |= {k: v for k, v in _options(*base, classes).items() if k not in options}
                lineage.append("LayerOptions")
            found.append(Factory(namespace, name, named.get("aliases", "").split(), module, node, options, lineage))
    for f, descriptions in zip(found, descriptions_of([(f.lineage, list(f.options)) for f in found]), strict=True):
        f.descriptions = descriptions
    return found


Classes = dict[tuple[str, str], tuple[Module, ast.ClassDef]]


def _lineage(module: Module, node: ast.ClassDef, classes: Classes) -> list[str]:
    bases = [classes.get(_origin(module, ast.unparse(base))) for base in node.bases]
    return [node.name, *(name for base in bases if base is not None for name in _lineage(*base, classes))]


def _options(module: Module, node: ast.ClassDef, classes: Classes) -> dict[str, tuple[Module, Option]]:
    merged: dict[str, tuple[Module, Option]] = {}
    for base in reversed(node.bases):
        known = classes.get(_origin(module, ast.unparse(base)))
        if known is not None:
            merged |= _options(*known, classes)
    initializer = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
    if initializer is not None:
        return merged if node.name == "Layer" else _parameters(module, node, initializer)
    return merged | {name: (module, option) for name, option in _annotated(node).items()}


def _annotated(node: ast.ClassDef) -> dict[str, Option]:
    return {
        item.target.id: (item.target.id, item.annotation, item.value)
        for item in node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and _is_option(item)
    }


def _is_option(item: ast.AnnAssign) -> bool:
    return not ast.unparse(item.target).startswith("_") and not ast.unparse(item.annotation).startswith("ClassVar")


def _parameters(module: Module, node: ast.ClassDef, initializer: ast.FunctionDef) -> dict[str, tuple[Module, Option]]:
    """The keywords of a constructor; if their default is None, the class's annotated default is used."""
    args, stated = initializer.args, _annotated(node)
    return {
        a.arg: (module, (a.arg, a.annotation or ast.Name("Any"), stated[a.arg][2] if a.arg in stated else default))
        for a, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    }


def _origin(module: Module, name: str) -> tuple[str, str]:
    statement = module.imports.get(name)
    if statement is None:
        return module.name, name
    _, source, _, imported = statement.split(" ")[:4]
    return source, imported


def source_of(factories: list[Factory], camel: Camel) -> tuple[list[str], str]:
    """Import statements for type checkers, and the source of the factories of one namespace."""
    needs = [(m, _names(o)) for f in factories for m, o in f.options.values()]
    imports = [_for_users(line) for line in imports_for(needs)]
    return imports, "".join(_definition(f, camel) for f in sorted(factories, key=lambda f: f.name))


def _for_users(source: str) -> str:
    """Replace the types of declarations by what users may pass: `ActivationOption` by `ActivationLike`, and so on."""
    return source.replace("Option", "Like")


def _definition(f: Factory, camel: Camel) -> str:
    made = f.node.name
    names = dict.fromkeys(s for name in (f.name, *f.aliases) for s in (name, camel(name, f.namespace)))
    doc = (ast.get_docstring(f.node, clean=False) or "").rstrip()
    forms = dict.fromkeys([_keywords(f, lambda name: name), _keywords(f, lambda name: camel(name, ""))])
    overloads = "".join(f"\n\n@overload\ndef {f.name}({form}) -> {made}: ...\n" for form in forms)
    return (
        f"\n\n@overload\ndef {f.name}(config: Mapping[str, Any], /) -> {made}: ...\n{overloads}"
        f"\n\ndef {f.name}(config: Mapping[str, Any] | None = None, /, *more: Any, **options: Any) -> {made}:\n"
        f'    """{doc}{_listed(f)}"""\n    return {made}(config, *more, **options)\n'
        f'\n\nvars({f.name})["__wrapped__"] = {made}  # for its signature\n'
        + "".join(f"\n\n{name} = {f.name}\n" for name in names if name != f.name)
    )


def _listed(f: Factory) -> str:
    """The options for the docstring, which `help` and notebooks show."""
    if not f.options:
        return ""
    lines = ["config: the options below as a dict."]
    lines += [f"{name}: {_description(f.descriptions[name], default)}" for name, _, default in required_first(f)]
    filled = [textwrap.fill(line, 120, initial_indent=" " * 8, subsequent_indent=" " * 12) for line in lines]
    return "\n".join(["\n\n    Args:", *filled, "    "])


def _description(option: OptionText, default: ast.expr | None) -> str:
    """The description of an option, and its default, if it has one."""
    value = option.default or ("" if default is None else ast.unparse(default))
    return f"{option.text}." if value in ("", "None") else f"{option.text} (default: {value})."


def required_first(f: Factory) -> list[Option]:
    return sorted((option for _, option in f.options.values()), key=lambda option: option[2] is not None)


def _names(option: Option) -> set[str]:
    return {n.id for n in ast.walk(option[1]) if isinstance(n, ast.Name)}


def _keywords(f: Factory, spell: Callable[[str], str]) -> str:
    """The options as keyword-only parameters, the required ones first."""
    options = [_keyword(option, spell) for option in required_first(f)]
    return ", ".join(["*", *options]) if options else ""


def _keyword(option: Option, spell: Callable[[str], str]) -> str:
    name, annotation, default = option
    text = f"{spell(name)}: {_for_users(ast.unparse(annotation))}"
    if default is None:
        return text
    return f"{text} = {ast.unparse(default) if isinstance(default, ast.Constant) else '...'}"
