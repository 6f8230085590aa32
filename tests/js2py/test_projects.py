"""Projects of scripts that import each other: output as in Node (recorded by record.mjs), and imports."""

from __future__ import annotations

import builtins
import json
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from js2py.printing import HERE, assert_same, plain

from tfpy.js2py.project.files import run

PROJECTS = HERE / "projects"
RECORDED = json.loads((HERE / "recorded.json").read_text(encoding="utf-8"))
Convert = Callable[[dict[str, str]], dict[str, str]]


def output(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The output of main.py in a folder."""
    out: list[Any] = []
    before = set(sys.modules)
    with monkeypatch.context() as patch:
        patch.setattr(builtins, "print", lambda *args, **options: out.append([plain(a) for a in args]))
        patch.syspath_prepend(str(folder))
        runpy.run_path(str(folder / "main.py"), run_name="__main__")
        for name in set(sys.modules) - before:
            del sys.modules[name]
    return out


@pytest.mark.parametrize("name", ["commonjs", "modules"])
def test_output_matches_node(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(PROJECTS / name, str(tmp_path), force=False) == 0
    assert_same(output(tmp_path, monkeypatch), RECORDED[f"projects/{name}"])


def test_typescript_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(PROJECTS / "typed", str(tmp_path), force=False) == 0
    assert_same(output(tmp_path, monkeypatch), [[2, 6, 1, 6], [2]])
    assert (tmp_path / "types_.py").read_text() == ""
    assert (tmp_path / "index.py").read_text() == (
        "from tracking.tracker import Tracker\nfrom geometry.boxes import area\n"
    )


def test_programs_run_as_scripts_and_modules(tmp_path: Path) -> None:
    """Programs at the root run by path, those in subfolders as modules."""
    assert run(PROJECTS / "modules", str(tmp_path / "out"), force=False) == 0
    for command, folder in ((["out/main.py"], tmp_path), (["-m", "store.index"], tmp_path / "out")):
        subprocess.run([sys.executable, *command], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def convert(tmp_path: Path) -> Convert:
    """Write scripts, convert their folder, and return the Python code by path."""

    def convert_scripts(scripts: dict[str, str]) -> dict[str, str]:
        for name, source in scripts.items():
            path = tmp_path / "in" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source, encoding="utf-8")
        run(tmp_path / "in", str(tmp_path / "out"), force=True)
        out = tmp_path / "out"
        return {str(p.relative_to(out)): p.read_text(encoding="utf-8") for p in sorted(out.rglob("*.py"))}

    return convert_scripts


# Imports of other scripts and the code of main.py for them.
IMPORTS = {
    "import {a as b} from './lib/util.js'; f(b);": "from lib.util import a as b\n\nf(b)\n",
    "import {a} from './lib/util'; f(a);": "from lib.util import a\n\nf(a)\n",
    "import {c} from './lib'; f(c);": "from lib.index import c\n\nf(c)\n",
    "import * as util from './lib/util'; f(util.a, util.sum(1));": (
        "import lib.util as util\n\nf(util.a, util.sum_(1))\n"
    ),
    "import made, {sum} from './lib/util'; f(made, sum);": "from lib.util import default as made, sum_\n\nf(made, sum_)\n",
    "const whole = require('./lib/whole'); f(whole);": "from lib.whole import whole\n\nf(whole)\n",
    "const {steps, a} = require('./lib/util'); f(steps, a);": (
        "import lib.util as util\nfrom lib.util import a\n\nf(util.steps, a)\n"
    ),
    "import {none} from './lib/util'; f(none);": (
        "# js2py: the file that becomes lib/util.py exports no none\n"
        "#     import {none} from './lib/util';\n"
        "# js2py: none comes from a package that has no counterpart here\n"
        "#     f(none);\n"
        "raise NotImplementedError(\n"
        '    "line 1: none comes from a package that has no counterpart here"\n)\n'
    ),
    "import {x} from '../outside'; f(x);": (
        "# js2py: ../outside is not among what is converted; convert the folder that has both\n"
        "#     import {x} from '../outside';\n"
        "# js2py: x comes from a package that has no counterpart here\n"
        "#     f(x);\n"
        'raise NotImplementedError("line 1: x comes from a package that has no counterpart here")\n'
    ),
    "export {a as first, sum} from './lib/util';": "from lib.util import a as first, sum_\n",
    "import {steps} from './lib/util'; export {steps}; export {steps as many};": (
        "import lib.util as util\n\nsteps = util.steps\nmany = util.steps\n"
    ),
    "export * from './lib/util';": "from lib.util import a, steps, sum_\n",
    "export * as everything from './lib/util';": "import lib.util as everything\n",
    "export {util as tools, tensor1d} from '@tensorflow/tfjs';": (
        "import tfpy as tf\n\ntools = tf.util\ntensor1d = tf.tensor1d\n"
    ),
}
LIB = {
    "lib/util.js": "export const a = 1;\nexport function sum(x) { return x; }\nexport let steps = 0;\nsteps += 1;\n"
    "export default {units: 3};\n",
    "lib/index.js": "export const c = 3;\n",
    "lib/whole.js": "const whole = () => 3;\nmodule.exports = whole;\n",
}


@pytest.mark.parametrize("script", list(IMPORTS))
def test_imports(script: str, convert: Convert) -> None:
    assert convert({"main.js": script, **LIB})["main.py"] == IMPORTS[script]


def test_circular_imports_are_resolved_at_use(convert: Convert) -> None:
    found = convert(
        {
            "a.js": "import {g} from './b.js';\nexport const f = () => g;\n",
            "b.js": "import {f} from './a.js';\nexport const g = () => f();\n",
        }
    )
    assert found["a.py"] == "import b\n\n\ndef f():\n    return b.g\n"
    assert found["b.py"] == "import a\n\n\ndef g():\n    return a.f()\n"


def test_type_declarations_are_removed(convert: Convert) -> None:
    found = convert(
        {
            "main.ts": "import {Shape, Size, make} from './shapes';\nconst s: Shape = make();\nf(s.width as Size);\n",
            "shapes.ts": "export interface Shape { width: number; }\nexport type Size = number;\n"
            "export type {Other} from './types';\nexport * from './types';\n"
            "export function make(): Shape { return load(); }\n",
            "types.ts": "export interface Other { a: string; }\n",
        }
    )
    assert found["main.py"] == 'from shapes import make\n\ns = make()\nf(s["width"])\n'
    assert found["shapes.py"] == "def make():\n    return load()\n"
    assert found["types_.py"] == ""


def test_parameter_types_are_inferred_across_files(convert: Convert) -> None:
    found = convert(
        {
            "lib.js": "export function named(options, label) { return label + options.width; }\n"
            "export class Store { constructor(parts) { this.parts = parts; } }\n",
            "main.js": "import {named, Store} from './lib.js';\n"
            "f(named({width: 2}, 'w'), new Store([1]).parts.concat([2]));\n",
        }
    )
    assert found["lib.py"].startswith("def named(options, label):\n    return f\"{label}{options['width']}\"\n")
    assert found["main.py"].endswith('f(named({"width": 2}, "w"), Store([1]).parts + [2])\n')
