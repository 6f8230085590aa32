"""`tfpy migrate`: rewrites scripts from the legacy API (`tfpy.legacy`) to the new one.

It needs libcst, which the extra `migrate` installs. The steps for a file:

    names.py      the names of the file that refer to tfpy.legacy
    aliases.py    names that it gives to parts of tfpy.legacy itself, as imports
    variables.py  the scopes of its names, and what is known of them
    kinds.py      the kinds of its expressions: arrays, maths, graphs, sessions, …; by the rules of expression_kinds.py
                  and call_kinds.py, in the terms of kind.py
    inference.py  repeated passes until the kinds are known
    lines.py      splits lines of several statements that concern a graph
    graphs.py     whether its graphs can become functions; symbols.py and feeds.py find their dependencies
    rewrite.py    the rewriting itself, with the rules of maths.py, arrays.py, training.py, expressions.py
                  and statements.py
    imports.py    the imports of the result, and a comment on each remaining legacy name
    files.py      reading, comparing, writing

The replacements are in `tfpy.legacy.migration.successors`, which `dl.migration_hints` uses, too.
"""
