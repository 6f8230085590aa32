"""Filling the templates of `tfpy.legacy.migration.successors` with the arguments of a call."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence

import libcst as cst

from tfpy.core.naming.names import camel
from tfpy.legacy.migration.successors import Parameters, Successor

Given = dict[str, cst.BaseExpression]
# Functions of the new API whose last argument is the dtype of their result.
_CREATING = r"tensor(\dd)?|cast|zeros|ones"


class CannotRewrite(Exception):
    """There is no rule for this; the text is the reason."""


def bind(parameters: Parameters, args: Sequence[cst.Arg]) -> Given:
    """The arguments of a call by the names of the parameters."""
    names = [name for name, _ in parameters]
    found: Given = {}
    for i, arg in enumerate(args):
        if arg.star:
            raise CannotRewrite("arguments given with * cannot be distinguished")
        if arg.keyword is None:
            name = names[i] if i < len(names) else ""
        else:
            name = next((n for n in names if arg.keyword.value in (n, camel(n))), "")
        if not name:
            raise CannotRewrite("the function does not have such an argument")
        found[_of_version(name, parameters, arg)] = arg.value
    return found


_VARIABLES = "specified_variable_list"


def _of_version(name: str, parameters: Parameters, arg: cst.Arg) -> str:
    """The name of an argument: before 0.5, an optimizer's list of variables has the position of another option."""
    names, defaults = [n for n, _ in parameters], dict(parameters)
    if _VARIABLES not in names[names.index(name) + 1 :] or arg.keyword is not None:
        return name
    if isinstance(arg.value, (cst.List, cst.Tuple)):
        return _VARIABLES
    is_new = name in ("epsilon", "momentum") and defaults[name] is not inspect.Parameter.empty
    if is_new and not _is_number(arg.value):
        raise CannotRewrite(f"it is unknown whether an argument is the {name} (0.5) or the list of variables (0.4)")
    return name


def _is_number(value: cst.BaseExpression) -> bool:
    return isinstance(value, (cst.BaseNumber, cst.UnaryOperation)) or is_none(value)


def is_none(node: cst.BaseExpression | None) -> bool:
    """Whether an argument is missing or None."""
    return node is None or (isinstance(node, cst.Name) and node.value == "None")


def fill(successor: Successor, given: Given, tf: str) -> cst.BaseExpression:
    """The successor's expression with arguments in place of parameters.

    Args:
        successor: the replacement of the call.
        given: the arguments by parameter.
        tf: the name of the new API in this file.
    """
    if not successor.forms:
        raise CannotRewrite(successor.reason)
    defaults = dict(successor.parameters)
    for needed, text in successor.forms:
        if needed and _is_left_out(given.get(needed), defaults[needed]):
            continue
        if not text:
            raise CannotRewrite(f"the new API has nothing for this {needed}")
        return expression(text, given, defaults, tf)
    raise CannotRewrite("an argument is missing")


def _is_left_out(value: cst.BaseExpression | None, default: object) -> bool:
    """Whether an argument is missing, or a string equal to the default."""
    return is_none(value) or (isinstance(value, cst.SimpleString) and value.evaluated_value == default)


def expression(
    text: str, given: Mapping[str, cst.BaseExpression], defaults: Mapping[str, object], tf: str
) -> cst.BaseExpression:
    """An expression of a template."""
    return cst.parse_expression(text).visit(_Filling(given, defaults, tf))  # type: ignore[return-value]


class _Filling(cst.CSTTransformer):
    def __init__(self, given: Mapping[str, cst.BaseExpression], defaults: Mapping[str, object], tf: str) -> None:
        self.given = given
        self.defaults = defaults
        self.tf = tf

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
        return updated_node.with_changes(value=_operand(updated_node.value), attr=original_node.attr)

    def leave_BinaryOperation(
        self, original_node: cst.BinaryOperation, updated_node: cst.BinaryOperation
    ) -> cst.BaseExpression:
        return updated_node.with_changes(left=_operand(updated_node.left), right=_operand(updated_node.right))

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
        name = updated_node.value
        if name == "tf":
            return updated_node.with_changes(value=self.tf)
        if name in self.given:
            return self.given[name]
        if name in self.defaults:
            default = self.defaults[name]
            if default is inspect.Parameter.empty:
                raise CannotRewrite(f"the argument {name!r} is not given")
            return cst.parse_expression(repr(default))
        return updated_node

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.BaseExpression:
        """Omits arguments that were not given, unless a given one follows; and a cast of what has the dtype."""
        kept: list[cst.Arg] = []
        behind = False
        for before, after in reversed(list(zip(original_node.args, updated_node.args, strict=True))):
            name = before.value.value if isinstance(before.value, cst.Name) else None
            absent = name in self.defaults and name not in self.given
            if absent and (before.keyword is not None or not behind):
                continue
            behind = behind or before.keyword is None
            kept.append(after)
        kept.reverse()
        if kept:
            kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        call = updated_node.with_changes(args=kept)
        match kept:
            case [cst.Arg(value=value), cst.Arg(value=dtype)] if self._calls(call, "cast"):
                return value if self._has_dtype(value, dtype) else call
        return call

    def _calls(self, node: cst.Call, pattern: str) -> bool:
        """Whether the function is one of the new API, with such a name."""
        match node.func:
            case cst.Attribute(value=cst.Name(value=self.tf), attr=cst.Name(value=name)):
                return re.fullmatch(pattern, name) is not None
        return False

    def _has_dtype(self, value: cst.BaseExpression, dtype: cst.BaseExpression) -> bool:
        """Whether an expression creates a tensor, and names this dtype."""
        match value, dtype:
            case cst.Call(args=[_, *_, cst.Arg(value=cst.SimpleString() as last)]), cst.SimpleString():
                return last.evaluated_value == dtype.evaluated_value and self._calls(value, _CREATING)
        return False


def _operand(node: cst.BaseExpression) -> cst.BaseExpression:
    """An expression, in parentheses if an operator next to it could bind more tightly."""
    close = (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Integer, cst.Float)
    return node if isinstance(node, close) else parenthesized(node)


def parenthesized(node: cst.BaseExpression) -> cst.BaseExpression:
    """An expression in parentheses."""
    return node if node.lpar else node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
