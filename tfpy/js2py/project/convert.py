"""`tfpy.js2py`: converts a script if tree-sitter is installed."""

from __future__ import annotations

from tfpy.core.system.extras import optional_module
from tfpy.js2py.notes import Conversion


def convert(source: str, typescript: bool = False) -> Conversion:
    """Convert a script written for TF.js to Python for tfpy. The script is never run.

    Args:
        source: the script.
        typescript: whether it is TypeScript.

    Returns:
        The Python code, and notes on what is left to do.

    Raises:
        ImportError: tree-sitter is not installed.
        ScriptError: the script has a syntax error; it is a ValueError with line and column.
    """
    optional_module("tree_sitter", "js", "tfpy js2py")
    optional_module("tree_sitter_typescript" if typescript else "tree_sitter_javascript", "js", "tfpy js2py")
    from tfpy.js2py.project.script import converted

    return converted(source, typescript)
