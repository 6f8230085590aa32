"""Remarks on constructs without counterpart or with a possibly different meaning."""

from __future__ import annotations

import ast

import pytest
from js2py.cases_javascript import JAVASCRIPT
from js2py.cases_modules import MODULES
from js2py.cases_tfpy import TFPY

from tfpy.js2py import convert

JAVASCRIPT_CASES = {**TFPY, **MODULES, **JAVASCRIPT}
THIS = "`this` that is not an instance of a class has no counterpart"
# Scripts that are converted only in part, and the text of the remark.
LEFT = {
    "const box = document.getElementById('box');": "document exists only in browsers",
    "const answer = await fetch(url);": "fetch exists only in browsers",
    "a: for (const x of y) for (const z of x) for (const t of z) { break a; }": (
        "a jump to a label that is not a plain loop around this one has no counterpart"
    ),
    "a: for (const x of y) { for (const z of x) { if (z) continue a; if (f(z) > 1) break; } }": (
        "a jump to a label that is not a plain loop around this one has no counterpart"
    ),
    "a: { f(); break a; }": "a jump to a label that is not a plain loop around this one has no counterpart",
    "const s = jasmine.createSpy('s').and.returnValue(1);": (
        "jasmine has no counterpart; see unittest.mock and pytest's monkeypatch"
    ),
    "spyOn(tf, 'add');": "spyOn has no counterpart; see unittest.mock and pytest's monkeypatch",
    "console.warn = f;": "this use of console has no counterpart",
    "it('a', done => done());": ("a test that calls `done` has no counterpart; make it an async function"),
    "const v = [tf.scalar(1)].dataSync();": "`dataSync` of a list has no counterpart",
    "setTimeout(() => f(), 10);": "setTimeout has no counterpart; call the function where it is due",
    "const p = new Promise((resolve, reject) => load(resolve));": "`new Promise` has no counterpart: a call returns when its result is ready, so return that",
    "import embed from 'vega-embed';": "the package vega-embed has no counterpart here",
    "import labels from './labels.json';": "./labels.json is no script; `json.load` reads it",
    "export * from '@tensorflow/tfjs';": (
        "an export from @tensorflow/tfjs has no counterpart; import it where it is used"
    ),
    "import {x} from '../other';": "../other is not among what is converted; convert the folder that has both",
    "const m = /(?<year>\\d+)/.exec(s);": "this regular expression has no counterpart; see Python's re",
    "switch (a) { case 1: f(); case 2: g(); }": "a case that falls through to the next has no counterpart",
    "const t = [] + x;": "`+` on a list or an object makes a string of it; say what is meant",
    "import {setThreadsCount as n} from '@tensorflow/tfjs-backend-wasm'; n(2);": (
        "n comes from a package that has no counterpart here"
    ),
    "import {noSuchThing} from '@tensorflow/tfjs'; noSuchThing(1);": "tfpy has no tf.noSuchThing",
    "const {ones, noSuchThing} = tf;": "tfpy has no tf.noSuchThing",
    "const L = tf.layers; L.noSuchThing();": "tfpy has no tf.layers.noSuchThing",
    "const q = tf.noSuchThing(1);": "tfpy has no tf.noSuchThing",
    "m = tf.loadFrozenModel('a.pb', 'b.json');": "tfpy has no tf.loadFrozenModel; in tfpy it is tf.loadGraphModel",
    "const f = a.f.bind(b);": "`bind` to another object has no counterpart; write a function",
    "const d = new Date(); const f = () => d.setDate(1);": "Python's dates do not change; give the variable a new one",
    "const d = new Date(); const s = d + 1;": "`+` on a date makes a string of it; add to its `getTime()`",
    "const d = new Date(2020, 1); d.toJSON();": "`toJSON` of a date has no counterpart",
    "const d = new Date([2020]);": "a date made of this has no counterpart",
    "class A {} const vs = Object.values(A);": "Object.values of an enum or a class has no counterpart; list its constants",
    "function F() { this.x = 1; return {}; } new F();": THIS,
    "function F() { this.x = 1; } new F(); F();": THIS,
    "function F() { this.x = 1; } function G() { F.apply(this, arguments); } new F();": THIS,
    "const xs = [1]; const n = xs.copyWithin(0, 1);": "`copyWithin` of a list has no counterpart",
    "function f() { return arguments.length; }": "`arguments` has no counterpart; name the parameters",
    "const o = {get x() { return 1; }};": "a plain object with getters or setters has no counterpart; write a class",
    "console.table(rows);": "console.table has no counterpart",
    "const tags = ['a', 'b']; tags.last = 1;": "a property of a list has no counterpart; give it a name of its own",
    "const a = b >>> 2;": "`>>>` has no counterpart",
    "const load = 1; exports.load = f();": "the export load is something other than load here",
    "module.exports = {...others};": "an export by `...` has no counterpart; import it where it is used",
    "exports.f();": "this use of exports has no counterpart",
    "f(JSON.stringify(x, ['a', 'b']));": "a replacer for `JSON.stringify` has no counterpart",
    "global.counter = 1;": "this use of global has no counterpart",
    "const o = Symbol.iterator;": "this use of Symbol has no counterpart",
    "const ys = [].map.call(xs, f);": (
        "Array.prototype.map.call has no counterpart; call map of a list, as of Array.from(…)"
    ),
    "const ys = [].concat.apply(xs, [a]);": ("`concat.apply` is converted only of an empty list and a list of lists"),
    "Array.prototype();": "this use of Array has no counterpart",
    "const f = Math.atan2;": "Math.atan2 as a value has no counterpart",
    "const s = new Set(); const found = s.delete(1);": ("the result of `delete` has no counterpart; call `has` before"),
    "switch (a) { default: case 2: g(); }": "a default that falls through to the next case has no counterpart",
    "import * as fs from 'fs'; fs.readFile(x, (error, data) => f(data));": (
        "a function that is called when a file has been read or written has no counterpart"
    ),
    "import fs from 'fs'; fs.watch(x);": "fs.watch has no counterpart",
    "import * as os from 'os'; const load = os.cpus;": "os.cpus as a value has no counterpart",
    "const p = new ArgumentParser(); p.addArgument(name, {});": (
        "an argument whose name is computed has no counterpart"
    ),
    "function* g() { yield 1; } const n = g().next();": "`next` of a generator has no counterpart",
    "const xs = [2, 1]; console.log(xs.length, xs.splice(0, 1));": (
        "`splice` after something that it changes has no counterpart; give it a statement"
    ),
    "class A { static get className() { return f(); } }": (
        "a static getter that computes `className` has no counterpart; set it below the class"
    ),
    "const o = {f() { return this.x; }};": "`this` that is not an instance of a class has no counterpart",
}

# Scripts that are converted with something to check, and a part of the remark.
CHECKS = {
    "for (const [i, x] of f().entries()) g(i, x);": "of a map it must be .items()",
    "const r = a % b;": "`%` of a negative number",
    "const same = a == '1';": "JavaScript's `==`",
    "const o = {1: 'a'};": "numbers stay numbers as keys",
    "const o = {}; o[3] = 1;": "numbers stay numbers as keys",
    "const k = 3; const o = {[k]: 1};": "in ascending order",
    "let s = 1; s = (s * 1103515245 + 12345) & 0x7fffffff;": "loses the last digits of products beyond 2**53",
    "const pixels = new Uint8ClampedArray(4);": "clips them to 0 … 255",
    "const xs = [3, 10]; xs.sort();": "sorts numbers as strings",
    "function f(x) { if (x) g(); }": "an empty list or dict",
    "tf.setBackend('wasm');": "tfpy has no backend 'wasm'; 'cpu' is used instead",
    "const y = x[-1];": "a negative index",
    "const d = new Date('2020-01-02');": "JavaScript reads a date without a time as UTC",
    "const d = new Date(saved.when);": "this is assumed to be milliseconds",
    "for (const k in things) f(k);": "iterates over the keys of a dict",
    "const y = x << 3;": "32 bits",
    "export default {units: 3};": "import it by the name `default`",
    "module.exports = f(3);": "import it by the name `default`",
    "const s = new Set(); for (const x of s) f(x);": "sets are unordered in Python",
    "class A { map(f) { return f(1); } } const y = x.map(v => v);": "or the script's own",
    "const p = new ArgumentParser({version: '1'}); f(p);": "no `version` here",
    "const p = new ArgumentParser(); p.addArgument('--x', {optionStrings: ['a']});": "no `optionStrings`; `choices` says",
    "names.sort((a, b) => a.name.localeCompare(b.name));": "`localeCompare` goes by the rules of a language",
    "const t = typeof x.y;": "Python's types have other names",
    "const at = x.length / 2; f(x[at]);": "an index that is not an integer gives undefined",
    "const y = x.slice(1, 3);": "of a tensor it takes begin and size",
    "const ys = xs.map(x => x > 1 ? Math.log(x - 1) : Math.sqrt(x * x) + Math.acos(xs[0]));": "Math.acos of this is NaN",
    "for (const x of xs) f(x > 0 && Math.log(x), x < 0 ? 0 : Math.sqrt(x), Math.log2(x));": "Math.log2 of this is NaN",
    "const total = xs.reduce((sum, x) => Math.sqrt(sum) + Math.log1p(x), 0);": "Math.log1p of this is NaN",
}


@pytest.mark.parametrize("script", list(LEFT))
def test_construct_without_counterpart_is_marked_and_raises(script: str) -> None:
    found = convert(script)
    assert [(note.line, note.text, note.left) for note in found.notes] == [(1, LEFT[script], True)]
    assert not found.is_complete
    assert f"# js2py: {LEFT[script]}\n" in found.code
    assert any(
        line.strip().startswith("#     ") and line.split("#     ")[1] in script for line in found.code.splitlines()
    )
    import_alone = script.startswith("import") and script.index(";") == len(script) - 1
    assert ("raise NotImplementedError(" in found.code) is not import_alone
    ast.parse(found.code)


@pytest.mark.parametrize("script", list(CHECKS))
def test_possibly_different_meaning_is_marked(script: str) -> None:
    found = convert(script)
    (note,) = found.notes
    assert CHECKS[script] in note.text
    assert not note.left
    assert found.is_complete
    assert f"# js2py: check: {note.text}\n" in found.code


def test_unconverted_code_raises_only_when_reached() -> None:
    found = convert("function f() {\n  return 1;\n}\nfunction g() {\n  return document.title;\n}\n")
    space: dict[str, object] = {}
    exec(found.code, space)
    assert space["f"]() == 1  # type: ignore[operator]
    with pytest.raises(NotImplementedError, match="line 5: document exists only in browsers"):
        space["g"]()  # type: ignore[operator]


def test_class_is_converted_without_its_unconverted_methods() -> None:
    found = convert("class A {\n  one() { return 1; }\n  get [f()]() { return 2; }\n}\nconst n = new A().one();\n")
    assert [note.line for note in found.notes if note.left] == [3]
    space: dict[str, object] = {}
    exec(found.code, space)
    assert space["n"] == 1


def test_import_of_unknown_package_raises_where_used() -> None:
    found = convert("import {a} from 'somewhere';\nconst x = 1;\nconst f = () => a(x);\n")
    assert [note.line for note in found.notes] == [1, 3]
    space: dict[str, object] = {}
    exec(found.code, space)
    assert space["x"] == 1


@pytest.mark.parametrize(
    "script", ["var {part} = part;", "while (a()) { var a = a.b; }", "var a = a.b;", "let {x} = y; let {y} = x;"]
)
def test_self_referential_declarations_are_converted(script: str) -> None:
    assert convert(script).is_complete


def test_result_is_valid_python_in_any_context() -> None:
    """Each script is also converted within a function, a condition and a method."""
    parts = [script for script, _ in JAVASCRIPT_CASES.values()] + list(LEFT) + list(CHECKS)
    for part in parts:
        for script in (
            f"function wrapped() {{\n{part}\n}}",
            f"if (a > 1) {{\n{part}\n}}",
            f"class A {{ m() {{\n{part}\n}} }}",
        ):
            if not any(word in part for word in ("import ", "export ")):
                compile(convert(script).code, "converted", "exec")


def test_multiline_remark_is_one_comment() -> None:
    found = convert("f(g(), a.b =\n  h());")
    assert "# js2py: `a.b = h()` here has no counterpart; give it a statement of its own\n" in found.code
