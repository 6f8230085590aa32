"""The tables of conversion rules refer to node types of the grammars."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language

from tfpy.js2py import converter
from tfpy.js2py.analysis import builtin_kinds, declared_types, expected, inference, scopes
from tfpy.js2py.project import script
from tfpy.js2py.syntax import parse

assert script.RULES  # the import fills the tables
TYPES: dict[str, Iterable[str]] = {
    "expressions": converter.expression,
    "statements": converter.statement,
    "effects": converter.effect,
    "kinds": inference.kind_of,
    "kinds of literals": builtin_kinds.LITERALS,
    "kinds of types": declared_types.type_rule,
    "keys of types": declared_types.key_rule,
    "expected kinds": expected.expected_rule,
    "declarations": scopes.declaration,
    "functions": parse.FUNCTIONS,
    "loops": parse.LOOPS,
}


def named_node_types(language: object) -> set[str]:
    """The named node types of a grammar."""
    grammar = Language(language)
    kinds = range(grammar.node_kind_count)
    return {str(grammar.node_kind_for_id(i)) for i in kinds if grammar.node_kind_is_named(i)}


GRAMMARS = named_node_types(tree_sitter_javascript.language()) | named_node_types(
    tree_sitter_typescript.language_typescript()
)


@pytest.mark.parametrize("table", list(TYPES))
def test_rules_refer_to_existing_node_types(table: str) -> None:
    assert set(TYPES[table]) - GRAMMARS == set()
    assert set(TYPES[table])


def test_kind_rules_and_literals_are_disjoint() -> None:
    assert set(inference.kind_of) & set(builtin_kinds.LITERALS) == set()
