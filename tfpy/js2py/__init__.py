"""`tfpy js2py`: turns scripts written for TF.js, in JavaScript or TypeScript, into Python for tfpy.

It needs tree-sitter, which the extra `js` installs. Its parts, each of which may import those above it:

    notes.py        what is left to do or to look at
    names.py        what names become, and the tables of tfpy's
    builtins.py, packages.py    tables of JavaScript's own functions and methods, and of packages
    syntax/         the syntax trees: JavaScript's parsed, Python's put together, ordered and printed
    analysis/       who declares what, what expressions hold, what is imported and exported
    converter.py    the state of a conversion, and the tables of rules that the next three fill
    expressions/    rules for expressions
    calls/          rules for calls, of tfpy and of what JavaScript and Node have
    statements/     rules for statements
    project/        whole scripts, folders of them, and the command
"""

from __future__ import annotations

from tfpy.js2py.notes import Conversion, Note, ScriptError
from tfpy.js2py.project.convert import convert

__all__ = ["Conversion", "Note", "ScriptError", "convert"]
