"""The chained methods of Tensor, as type checkers and editors see them."""

from __future__ import annotations

import ast

from source import NOTICE, Public, annotation_names, camel, imports_for, returns, signature


def tensor_methods(ops: list[Public]) -> str:
    """`core/_methods.py`: what type checkers and editors see of the chained ops, which are bound at import."""
    chained = sorted((p for p in ops if p.chain), key=lambda p: p.name)
    needs = [(p.module, annotation_names(p.node)) for p in chained]  # type: ignore[arg-type]
    lines = [
        NOTICE.format(
            "The ops that are methods of Tensor: their signatures. `core/__init__.py` binds the ops themselves."
        ),
        "from typing import TYPE_CHECKING\n\nfrom tfpy.engine.handle import Handle\n\nif TYPE_CHECKING:\n",
        *[f"    {line}\n" for line in imports_for(needs)],
        "\n\nclass TensorMethods(Handle):\n",
        '    """Every op with a tensor as its first argument, in both spellings."""\n\n    __slots__ = ()\n\n',
        "    if TYPE_CHECKING:\n",
    ]
    for p in chained:
        assert isinstance(p.node, ast.FunctionDef)
        lines.append(f"\n        def {p.name}({signature(p.node, 1, 'self')}) -> {returns(p.node)}:\n")
        lines.append(f'            """{p.summary}"""\n\n')
        if camel(p.name, "") != p.name:
            lines.append(f"        {camel(p.name, '')} = {p.name}\n")
    return "".join(lines)
