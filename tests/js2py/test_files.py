"""The command `tfpy js2py` on single files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import tfpy.cli
from tfpy.js2py import ScriptError, convert
from tfpy.js2py.project.files import run
from tfpy.scripts import LARGEST

GOOD = "import * as tf from '@tensorflow/tfjs';\ntf.ones([2]).print();\n"
PYTHON = "import tfpy as tf\n\ntf.ones([2]).print()\n"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "script.js"
    path.write_text(GOOD)
    return path


def test_output_goes_to_stdout_by_default(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for out in (None, "-"):
        assert run(script, out, force=False) == 0
        captured = capsys.readouterr()
        assert captured.out == PYTHON
        assert captured.err == "Converted. Places left to do: 0; to check: 0. All are marked `# js2py:`.\n"


def test_scripts_in_pages_are_converted_with_the_lines_of_the_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    page.write_text("""<html><script src="https://cdn.jsdelivr.net/npm/deeplearn"></script>
<script type="text/x-template">1 <</script>
<script
  type="text/javascript">
const a = dl.scalar(3);
if (2 < 3) { console.log('</b>', a.dataSync()[0]); }
</script><p>1 < 2
<script>
document.title = 'done';</script><script>console.log(a.rank);</script></html>""")
    assert run(page, None, force=False) == 1
    captured = capsys.readouterr()
    assert (
        captured.out
        == """from tfpy import legacy as dl

a = dl.scalar(3)
if 2 < 3:
    print("</b>", a.data_sync().item(0))

# js2py: document exists only in browsers
#     document.title = 'done';
raise NotImplementedError("line 9: document exists only in browsers")
print(a.rank)
"""
    )
    assert "page.html:9: document exists only in browsers" in captured.err
    page.write_text('<script src="a.js"></script><script src="//cdn.org/b.js"></script>\n<p>')
    assert run(page, None, force=False) == 1
    assert "page.html: has no script in it; convert what it loads: a.js." in capsys.readouterr().err


def test_existing_file_is_overwritten_only_with_force(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = script.with_suffix(".py")
    assert run(script, str(target), force=False) == 0
    assert target.read_text() == PYTHON
    target.write_text("mine")
    assert run(script, str(target), force=False) == 1
    assert target.read_text() == "mine"
    assert "already exists; --force overwrites it." in capsys.readouterr().err
    assert run(script, str(target), force=True) == 0
    assert target.read_text() == PYTHON


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
@pytest.mark.parametrize("linked", [False, True])
def test_special_files_are_not_replaced(linked: bool, script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe, link = script.with_name("pipe"), script.with_name("link")
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    assert run(script, str(link if linked else pipe), force=True) == 1
    assert pipe.is_fifo()
    assert link.is_symlink()
    assert "cannot be written: it is not a regular file" in capsys.readouterr().err
    assert len(list(script.parent.iterdir())) == 3


@pytest.mark.parametrize("force", [False, True])
def test_output_folder_for_a_single_script_raises(
    force: bool, script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(script, str(script.parent), force) == 1
    assert capsys.readouterr().err == f"{script.parent} is a folder; the output for a script must be a file.\n"


def test_remarks_are_listed_with_lines(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.write_text("const a = b % c;\n\ndocument.title = 'x';\n")
    assert run(script, None, force=False) == 1
    captured = capsys.readouterr().err.splitlines()
    assert captured[0].startswith(f"{script}:1: check: `%`")
    assert captured[1] == f"{script}:3: document exists only in browsers"
    assert captured[2] == "Not complete. Places left to do: 1; to check: 1. All are marked `# js2py:`."


@pytest.mark.parametrize(
    ("source", "position", "message"),
    [
        ("const a = 1;\nconst b = ;\n", "2:9", "syntax error"),
        ("const ü = 1; const b = );\n", "1:22", "syntax error"),
        ("function f() {\n  g();\n", "", "missing"),
        ("let x: number = 1;", "1:5", "syntax error"),
    ],
)
def test_syntax_errors_state_the_position(
    source: str, position: str, message: str, script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script.write_text(source, encoding="utf-8")
    target = script.with_suffix(".py")
    assert run(script, str(target), force=False) == 1
    assert not target.exists()
    error = capsys.readouterr().err
    assert error.startswith(f"{script}:{position}")
    assert message in error


def test_convert_raises_script_error() -> None:
    with pytest.raises(ScriptError, match=r"line 2, column 4: syntax error at '\)'") as caught:
        convert("f();\ng()) ;")
    assert (caught.value.line, caught.value.column) == (2, 4)


def test_invalid_files_and_targets(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(script.with_name("none.js"), None, force=False) == 1
    assert "cannot be read: No such file" in capsys.readouterr().err
    script.write_bytes(b"\xff\xfe\x00")
    assert run(script, None, force=False) == 1
    assert "is not text in UTF-8" in capsys.readouterr().err
    script.write_text("//" + " " * LARGEST)
    assert run(script, None, force=False) == 1
    assert "too many for a script" in capsys.readouterr().err
    script.write_text("")
    assert run(script, str(script.parent / "no" / "folder.py"), force=False) == 1
    assert "cannot be written" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="links need special rights there")
def test_link_to_itself_is_replaced(script: Path) -> None:
    circle = script.with_name("circle.py")
    circle.symlink_to(circle)
    assert run(script, str(circle), force=False) == 0
    assert circle.read_text() == PYTHON


def test_typescript_is_detected_by_file_extension(script: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = script.with_suffix(".ts")
    path.write_text("const x: number = 1;\n")
    assert run(path, None, force=False) == 0
    assert capsys.readouterr().out == "x = 1\n"


def test_command_line(script: Path) -> None:
    found = CliRunner().invoke(tfpy.cli.app, ["js2py", str(script), "-o", str(script.with_suffix(".py"))])
    assert found.exit_code == 0
    assert script.with_suffix(".py").read_text() == PYTHON
    script.write_text("document.title;")
    assert CliRunner().invoke(tfpy.cli.app, ["js2py", str(script)]).exit_code == 1
    assert isinstance(tfpy.cli.app, typer.Typer)


def test_missing_tree_sitter_error_names_the_extra(script: Path) -> None:
    code = "import sys; sys.modules['tree_sitter'] = None; from tfpy.cli import main; main()"
    found = subprocess.run(
        [sys.executable, "-c", code, "js2py", str(script)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    assert found.stderr.strip() == "tfpy js2py needs the extra 'js' of tfpy; pip install 'tfpy[js]' installs it."
