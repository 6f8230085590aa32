"""The code of converted scripts."""

from __future__ import annotations

import pytest
from js2py.looks_of_javascript import OF_JAVASCRIPT
from js2py.looks_of_modules import OF_MODULES
from js2py.looks_of_tfpy import OF_TFPY
from js2py.looks_of_typescript import OF_TYPESCRIPT

from tfpy.js2py import convert

LOOKS = {**OF_TFPY, **OF_MODULES, **OF_JAVASCRIPT}


@pytest.mark.parametrize("name", list(LOOKS))
def test_converted_javascript(name: str) -> None:
    script, expected = LOOKS[name]
    assert convert(script).code == expected.lstrip("\n")


@pytest.mark.parametrize("name", list(OF_TYPESCRIPT))
def test_converted_typescript(name: str) -> None:
    script, expected = OF_TYPESCRIPT[name]
    assert convert(script, typescript=True).code == expected.lstrip("\n")


def test_string_built_from_itself() -> None:
    script = """let s = '';
function g(p) { let part = 'a' + p; s = part + '=' + s; part = s + ':' + part; return '[' + part + ']'; }
"""
    assert 'return f"[{part}]"' in convert(script).code


def test_long_expression_statement_is_parenthesized() -> None:
    found = convert(f"({'a' * 50} ?? {'b' * 50}).c;")
    assert found.code.startswith("(\n")
