"""Properties in Node: the command line, the environment, the kinds of files."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py.converter import Converter
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.build import py
from tfpy.js2py.syntax.parse import kids, text

# In JavaScript the command line begins with the program that runs the script.
CONSTANTS = {
    "os.EOL": "os.linesep", "path.sep": "os.sep", "process.argv": '["node", *sys.argv]', "process.env": "os.environ",
    "process.platform": "sys.platform",
}  # fmt: skip
# Methods of the result of `fs.statSync`.
_ASKED = {"isFile": "os.path.isfile(_0)", "isDirectory": "os.path.isdir(_0)", "size": "os.path.getsize(_0)"}


def constant(name: str) -> ast.expr:
    """A property of Node that is not a function.

    Raises:
        NotConvertedError: it has no counterpart.
    """
    if name in CONSTANTS or name.partition(".")[0] == "argparse":
        return py(CONSTANTS.get(name, name))
    raise NotConvertedError(f"{name} as a value has no counterpart")


def asked(c: Converter, owner: Node, name: str) -> ast.expr | None:
    """`fs.statSync(path).isFile()` and the like; None for anything else."""
    callee = parse.field(owner, "function") if owner.type == "call_expression" else None
    if name not in _ASKED or not text(callee).endswith(("statSync", "lstatSync")):
        return None
    return py(_ASKED[name], c.expr(kids(parse.field(owner, "arguments"))[0]))


def is_command_line(node: Node) -> bool:
    """Whether an expression is `process.argv`."""
    return parse.path_of(node) == ["process", "argv"]


def argument(at: int, may_be_missing: bool) -> ast.expr:
    """`process.argv[at]`, whose index is one lower in Python; one that may be missing is None then."""
    found = f"sys.argv[{at - 1}]"
    return py(f"{found} if len(sys.argv) > {at - 1} else None" if may_be_missing else found)
