"""The tables of rules: each is for types of nodes that the grammars have."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
import tree_sitter_javascript
import tree_sitter_typescript
from tree_sitter import Language

from tfpy.js2py import converter
from tfpy.js2py.analysis import builtin_kinds, inference, scopes
from tfpy.js2py.project import script
from tfpy.js2py.syntax import parse

assert script.RULES  # which fills the tables
TYPES: dict[str, Iterable[str]] = {
    "expressions": converter.expression,
    "statements": converter.statement,
    "effects": converter.effect,
    "kinds": inference.kind_of,
    "kinds of literals": builtin_kinds.LITERALS,
    "declarations": scopes.declaration,
    "functions": parse.FUNCTIONS,
    "loops": parse.LOOPS,
}


def named(language: object) -> set[str]:
    """The types of nodes that a grammar has names for."""
    grammar = Language(language)
    kinds = range(grammar.node_kind_count)
    return {str(grammar.node_kind_for_id(i)) for i in kinds if grammar.node_kind_is_named(i)}


GRAMMARS = named(tree_sitter_javascript.language()) | named(tree_sitter_typescript.language_typescript())


@pytest.mark.parametrize("table", list(TYPES))
def test_every_rule_is_for_a_type_of_node_that_there_is(table: str) -> None:
    assert set(TYPES[table]) - GRAMMARS == set()
    assert set(TYPES[table])


def test_an_expression_has_its_kind_by_a_rule_or_as_a_literal() -> None:
    assert set(inference.kind_of) & set(builtin_kinds.LITERALS) == set()
