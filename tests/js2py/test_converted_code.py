"""The code of converted scripts."""

from __future__ import annotations

import pytest
from js2py.cases_javascript import JAVASCRIPT
from js2py.cases_modules import MODULES
from js2py.cases_tfpy import TFPY
from js2py.cases_typescript import TYPESCRIPT

from tfpy.js2py import convert

JAVASCRIPT_CASES = {**TFPY, **MODULES, **JAVASCRIPT}


@pytest.mark.parametrize("name", list(JAVASCRIPT_CASES))
def test_converted_javascript(name: str) -> None:
    script, expected = JAVASCRIPT_CASES[name]
    assert convert(script).code == expected.lstrip("\n")


@pytest.mark.parametrize("name", list(TYPESCRIPT))
def test_converted_typescript(name: str) -> None:
    script, expected = TYPESCRIPT[name]
    assert convert(script, typescript=True).code == expected.lstrip("\n")


def test_string_built_from_itself() -> None:
    script = """let s = '';
function g(p) { let part = 'a' + p; s = part + '=' + s; part = s + ':' + part; return '[' + part + ']'; }
"""
    assert 'return f"[{part}]"' in convert(script).code


def test_long_expression_statement_is_parenthesized() -> None:
    found = convert(f"({'a' * 50} ?? {'b' * 50}).c;")
    assert found.code.startswith("(\n")
