"""Tables of rules by node type, for syntax trees."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Type = TypeVar("Type")
Rule = TypeVar("Rule")


class NodeRules(dict[Type, Rule]):
    """Rules by node type. Called with one or several types, it is the decorator that adds a function to the table."""

    def __call__(self, *types: Type) -> Callable[[Rule], Rule]:
        """Mark a function as the rule for nodes of these types."""

        def register(rule: Rule) -> Rule:
            self.update(dict.fromkeys(types, rule))
            return rule

        return register
