"""`tfpy js2py`: converts scripts written for TF.js, in JavaScript or TypeScript, to Python for tfpy.

It needs tree-sitter, which the extra `js` installs. Each part may import those above it:

    notes.py        what is left to do or to check
    names.py        names in Python, and the tables of tfpy's names
    builtins.py, packages.py    tables of JavaScript's own functions and methods, and of packages
    syntax/         the syntax trees: JavaScript's are parsed, Python's built, ordered and printed
    analysis/       declarations, the kinds of expressions, imports and exports
    converter.py    the state of a conversion, and the tables of rules that the next three fill
    expressions/    rules for expressions
    calls/          rules for calls, of tfpy, JavaScript and Node
    statements/     rules for statements
    project/        whole scripts, folders of them, and the command
"""

from __future__ import annotations

from tfpy.js2py.notes import Conversion, Note, ScriptError
from tfpy.js2py.project.convert import convert

__all__ = ["Conversion", "Note", "ScriptError", "convert"]
