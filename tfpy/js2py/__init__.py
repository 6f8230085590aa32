"""`tfpy js2py`: turns scripts written for TF.js, in JavaScript or TypeScript, into Python for tfpy.

It needs tree-sitter, which the extra `js` installs. How a script goes through it:

    parse.py        the syntax tree
    scopes.py       who declares what, and the names in Python
    kind.py, inference.py, known.py, uses.py, members.py    what expressions hold: numbers, texts, lists, tensors, …
    converter.py    the state, and the tables of rules that the modules below fill
    statements.py, switching.py, counting.py, growing.py, changing.py, classes.py, functions.py, modules.py, inlining.py
    expressions.py, properties.py, operators.py, calls.py, arguments.py, methods.py, patterns.py, callbacks.py,
        filling.py, domains.py, commandline.py, flags.py, nodejs.py, surroundings.py, indices.py
    builtins.py, packages.py    tables of JavaScript's own functions and methods, and of packages
    origins.py, exports.py, elsewhere.py, project.py    what is imported and exported, and scripts that are linked by it
    names.py, build.py, notes.py    names, and what is put together: pieces of Python, and what is left to do
    order.py, documentation.py, printing.py    the order of functions, docstrings, the text
    script.py       a whole script
    files.py, folders.py, saying.py    the command
"""

from __future__ import annotations

from tfpy.core.extras import optional_module
from tfpy.js2py.notes import Conversion, Note, ScriptError

__all__ = ["Conversion", "Note", "ScriptError", "convert"]


def convert(source: str, typescript: bool = False) -> Conversion:
    """Turn a script written for TF.js into Python for tfpy. The script is never run.

    Args:
        source: the script.
        typescript: whether it is TypeScript.

    Returns:
        The Python, and notes on what is left to do.

    Raises:
        ImportError: tree-sitter is not installed.
        ScriptError: the script has a syntax error; it is a ValueError that knows line and column.
    """
    optional_module("tree_sitter", "js", "tfpy js2py")
    optional_module("tree_sitter_typescript" if typescript else "tree_sitter_javascript", "js", "tfpy js2py")
    from tfpy.js2py.script import converted

    return converted(source, typescript)
