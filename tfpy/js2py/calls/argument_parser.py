"""The command line: Node's argparse becomes Python's, whose arguments are read by snake_case names."""

from __future__ import annotations

import argparse
import ast
import inspect

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis import flags
from tfpy.js2py.calls.arguments import given
from tfpy.js2py.calls.callbacks import CONVERSIONS
from tfpy.js2py.converter import Converter
from tfpy.js2py.expressions.literals import with_comments
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import atom, call, py, string
from tfpy.js2py.syntax.parse import text

_TYPES = {"int": "int", "float": "float", "string": "str"}
_OPTIONS = {
    "action": "action", "choices": "choices", "constant": "const", "const": "const", "default": "default",
    "defaultValue": "default", "dest": "dest", "help": "help", "metavar": "metavar", "nargs": "nargs",
    "required": "required", "type": "type", "version": "version",
}  # fmt: skip
# Options of arguments with a value; Python rejects them for flags without one.
_OF_VALUES = {"type", "nargs", "choices", "metavar"}
_ALONE = {"store_true", "store_false", "store_const", "append_const", "count", "help", "version"}
_OF_PARSERS = set(inspect.signature(argparse.ArgumentParser).parameters)
# Methods whose last argument is an options object, and the other methods.
_WITH_OPTIONS = {"add_argument_group", "add_mutually_exclusive_group", "add_subparsers", "add_parser"}
_PLAIN = {
    "parse_args", "parse_known_args", "print_help", "print_usage", "format_help", "format_usage", "error", "exit",
}  # fmt: skip


def parser(c: Converter, arguments: Node | None) -> ast.expr:
    """`new argparse.ArgumentParser({…})`."""
    return _with_keywords(c, py("argparse.ArgumentParser"), arguments)


def method(c: Converter, owner: Node, name: str, arguments: Node) -> ast.expr:
    """A method of a parser, or of a group of its arguments."""
    spelled = names.snake(name)
    function = ast.Attribute(c.expr(owner), spelled)
    if spelled == "add_argument":
        return _argument(c, function, arguments)
    if spelled in _WITH_OPTIONS:
        return _with_keywords(c, function, arguments)
    if spelled == "set_defaults":
        defaults = flags.options_of(flags.parts_of(arguments)[1])
        return call(function, keywords=[ast.keyword(names.attribute(k), c.expr(v)) for k, v in defaults.items()])
    if spelled not in _PLAIN:
        raise NotConvertedError(f"`{name}` of a parser of arguments has no counterpart")
    return call(function, *given(c, arguments))


def _with_keywords(c: Converter, function: ast.expr, arguments: Node | None) -> ast.expr:
    """A call whose options object becomes keywords; `add_help` is true by default."""
    plain, options = flags.parts_of(arguments) if arguments is not None else ([], None)
    keywords = []
    for key, value in flags.options_of(options).items():
        spelled = names.snake(key)
        if spelled not in {*_OF_PARSERS, "title", "dest", "required", "help", "metavar"}:
            c.check(value, f"Python's argparse has no `{key}` here")
        elif (spelled, text(value)) != ("add_help", "true"):
            keywords.append(ast.keyword(spelled, c.expr(value)))
    return call(function, *(c.expr(part) for part in plain), keywords=keywords)


def _argument(c: Converter, function: ast.expr, arguments: Node) -> ast.expr:
    """`addArgument('--batchSize', {type: 'int'})`: the flag is unchanged, and is read as `args.batch_size`."""
    given_flags, options = flags.parts_of(arguments)
    if not given_flags or any(flag.type != "string" for flag in given_flags):
        raise NotConvertedError("an argument whose name is computed has no counterpart")
    spelled = [parse.string_in(flag) for flag in given_flags]
    destination = flags.destination(spelled, flags.options_of(options))
    name = names.attribute(destination) if destination.isidentifier() else destination
    keywords = _options(c, options) if options is not None else []
    if not spelled[0].startswith("-"):
        return call(function, string(name), keywords=keywords)
    if name != flags.destination(spelled, {}):
        keywords.insert(0, ast.keyword("dest", string(name)))
    return call(function, *map(string, spelled), keywords=keywords)


def _options(c: Converter, node: Node) -> list[ast.keyword]:
    """The options of an argument, except `dest`."""
    action = names.snake(parse.string_in(flags.options_of(node).get("action")))
    keywords = []
    for pair, before, behind in with_comments(c, node):
        if pair.type != "pair":
            raise NotConvertedError("options of an argument that are not a literal have no counterpart")
        key, value = text(parse.field(pair, "key")).strip("'\""), parse.field(pair, "value")
        if key not in _OPTIONS:
            more = "; `choices` says what is allowed" if key == "optionStrings" else ""
            c.check(value, f"argparse has no `{key}`{more}")
            continue
        found = None if key == "dest" or (action in _ALONE and key in _OF_VALUES) else _value(c, key, value)
        if found is not None:
            keyword = ast.keyword(_OPTIONS[key], found)
            build.put_before(keyword, before)
            if behind:
                build.put_behind(keyword, behind)
            keywords.append(keyword)
    return keywords


def _value(c: Converter, key: str, node: Node) -> ast.expr | None:
    """The value of an option; None if it only repeats the default."""
    said = parse.string_in(node)
    if key == "type" and said == "auto":
        return None
    if key == "type" and (said in _TYPES or text(node) in CONVERSIONS):
        return atom(_TYPES.get(said) or CONVERSIONS[text(node)])
    if key == "action" and said:
        return string(names.snake(said))
    found = c.expr(node)
    if key == "help":
        plain = build.string_value(found)
        return string(plain.replace("%(defaultValue)s", "%(default)s")) if plain is not None else found
    return found
