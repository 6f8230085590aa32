"""Tables of rules by the types of syntax nodes that they are for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Type = TypeVar("Type")
Rule = TypeVar("Rule")


class NodeRules(dict[Type, Rule]):
    """Rules by type of node. It is also the decorator that puts a function into the table, for one type or several."""

    def __call__(self, *types: Type) -> Callable[[Rule], Rule]:
        """Mark a function as the rule for nodes of these types."""

        def register(rule: Rule) -> Rule:
            self.update(dict.fromkeys(types, rule))
            return rule

        return register
