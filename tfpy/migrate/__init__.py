"""`tfpy migrate`: rewrites scripts from the legacy API (`tfpy.legacy`) to the new one.

It needs libcst, which the extra `migrate` installs. How a file goes through it:

    names.py      which names of the file mean something of tfpy.legacy
    aliases.py    names that it gives to parts of tfpy.legacy itself, as imports
    variables.py  which scope its names are of, and what is known of them
    kinds.py      what its expressions hold: arrays, maths, graphs, sessions, …; by the rules of expression_kinds.py and
                  call_kinds.py, in the terms of kind.py
    inference.py  goes over it until that is known
    lines.py      statements of one line, each on its own where it is of a graph
    graphs.py     whether its graphs can become functions, with symbols.py and feeds.py: what each depends on
    rewrite.py    the rewriting itself, with the rules of maths.py, arrays.py, training.py, expressions.py
                  and statements.py
    imports.py    the imports of the result, and a remark on each legacy name that is left
    files.py      reading, comparing, writing

What replaces what is in `tfpy.legacy.migration.successors`, which `dl.migration_hints` reads, too.
"""
