"""The command line that a script declares with Node's argparse: names, and the kinds of the values."""

from __future__ import annotations

from tree_sitter import Node

from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import kids, optional, string_in, text

# The kinds of the values of arguments, by their types and actions.
_TYPES = {"int": "index", "float": "number", "string": "string"}
_ACTIONS = {"storeTrue": "bool", "storeFalse": "bool", "append": "list", "appendConst": "list", "count": "index"}
_ADDS = ("addArgument", "add_argument")


def declared(root: Node) -> dict[str, str]:
    """The arguments of a script's command line: the name of the kind of each, empty if unknown, by its name."""
    found = {}
    for node in parse.walk(root):
        callee = optional(node, "function") if node.type == "call_expression" else None
        given = node.child_by_field_name("arguments")
        if callee is None or given is None or text(callee.child_by_field_name("property")) not in _ADDS:
            continue
        flags, options = parts_of(given)
        said = options_of(options)
        found[destination([text(flag)[1:-1] for flag in flags], said)] = _kind(said)
    return found


def parts_of(arguments: Node) -> tuple[list[Node], Node | None]:
    """The flags of an argument, and the object with its options."""
    listed = kids(arguments)
    options = listed.pop() if listed and listed[-1].type == "object" else None
    return [flag for part in listed for flag in (kids(part) if part.type == "array" else [part])], options


def options_of(node: Node | None) -> dict[str, Node]:
    """The values of an object by key."""
    pairs = [kid for kid in kids(node) if kid.type == "pair"] if node is not None else []
    return {text(parse.field(pair, "key")).strip("'\""): parse.field(pair, "value") for pair in pairs}


def destination(flags: list[str], options: dict[str, Node]) -> str:
    """The name by which an argument is read: the first long flag, without dashes."""
    long = [flag for flag in flags if flag.startswith("--")]
    return string_in(options.get("dest")) or (long or flags or [""])[0].lstrip("-").replace("-", "_")


def _kind(options: dict[str, Node]) -> str:
    action, said = string_in(options.get("action")), string_in(options.get("type"))
    action = "".join(part[:1].upper() + part[1:] if at else part for at, part in enumerate(action.split("_")))
    if action not in ("", "store"):
        return _ACTIONS.get(action, "")
    if "nargs" in options and string_in(options["nargs"]) != "?":
        return "list"
    if said or "type" in options:
        return _TYPES.get(said, "")
    default = options.get("defaultValue", options.get("default"))
    return "string" if default is None or default.type in ("string", "null") else ""
