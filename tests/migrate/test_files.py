"""The command `tfpy migrate`: output, written files, exit codes, and errors."""

from __future__ import annotations

import builtins
import os
from pathlib import Path
from typing import Any

import pytest
from forbidden import forbid
from typer.testing import CliRunner

from tfpy.cli import app
from tfpy.migrate import files
from tfpy.scripts import LARGEST

OLD = "from tfpy import legacy as dl\r\n\r\nx = dl.Scalar.new(1)  # näh\r\n"
NEW = "import tfpy as tf\r\n\r\nx = tf.scalar(1)  # näh\r\n"


def call(*args: Any) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["migrate", *map(str, args)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "old.py"
    path.write_bytes(OLD.encode())
    return path


def test_nothing_is_written_by_default(script: Path) -> None:
    code, output = call(script)
    assert code == 0
    assert "to rewrite: 1 constructs" in output
    assert script.read_bytes() == OLD.encode()


def test_check_exits_with_1_and_writes_nothing(script: Path) -> None:
    assert call("--check", script)[0] == 1
    assert call("--check", "--in-place", script)[0] == 1
    assert script.read_bytes() == OLD.encode()


@pytest.mark.parametrize("modern", ["import tfpy as tf\n", "", "# of a legacy\n", NEW])
def test_migrated_files_are_unchanged(modern: str, script: Path) -> None:
    """Files are given by name, as pre-commit hooks do."""
    script.write_bytes(modern.encode())
    for options in ([], ["--check"], ["--in-place"], ["--diff"]):
        code, output = call(*options, script)
        assert (code, output.replace("\n", "").count("py: nothing to do")) == (0, 1)
    assert script.read_bytes() == modern.encode()


def test_notebooks_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "old.ipynb").write_text('{"cells": []}')
    code, output = call("--check", tmp_path / "old.ipynb")
    assert code == 1
    assert "is a notebook; `jupyter nbconvert --to script`" in output.replace("\n", " ")


def test_invalid_escapes_in_scripts_are_not_reported(script: Path) -> None:
    script.write_bytes(OLD.encode() + b'\nprint("\\h")\n')
    code, output = call("--in-place", script)
    assert (code, "warning" in output.lower()) == (0, False)


def test_diff_shows_the_changes(script: Path) -> None:
    code, output = call("--diff", script)
    assert code == 0
    assert "-x = dl.Scalar.new(1)" in output
    assert "+x = tf.scalar(1)" in output


def test_diff_has_the_lines_of_the_file(script: Path) -> None:
    """Other characters that end lines for Python do not end them, and a last line without an end says so."""
    script.write_text("from tfpy import legacy as dl\nx = dl.Scalar.new(1)  # \x0c\n'\u2028'", encoding="utf-8")
    (outcome,) = files.outcomes([script], to_write=False)
    assert files.difference(outcome).split("\n")[2:] == [
        "@@ -1,3 +1,3 @@",
        "-from tfpy import legacy as dl",
        "-x = dl.Scalar.new(1)  # \x0c",
        "+import tfpy as tf",
        "+x = tf.scalar(1)  # \x0c",
        " '\u2028'",
        "\\ No newline at end of file",
        "",
    ]


def test_in_place_keeps_line_endings_and_file_mode(script: Path) -> None:
    script.chmod(0o750)
    assert call("--in-place", script)[0] == 0
    assert script.read_bytes() == NEW.encode()
    assert script.stat().st_mode & 0o777 == 0o750
    assert [p.name for p in script.parent.iterdir()] == ["old.py"]


def test_byte_order_mark_is_kept(script: Path) -> None:
    script.write_bytes(b"\xef\xbb\xbf" + OLD.encode())
    assert call("--in-place", script)[0] == 0
    assert script.read_bytes() == b"\xef\xbb\xbf" + NEW.encode()
    assert call("--check", script.parent)[0] == 0


def test_folders_are_migrated_recursively(script: Path) -> None:
    (script.parent / "new.py").write_text("import tfpy as tf\n", encoding="utf-8")
    (script.parent / "deep").mkdir()
    (script.parent / "deep/also.py").write_bytes(OLD.encode())
    code, output = call("--in-place", script.parent)
    assert code == 0
    assert "new.py" not in output
    assert (script.parent / "deep/also.py").read_bytes() == NEW.encode()
    assert call("--check", script.parent)[0] == 0


@pytest.mark.skipif(os.name == "nt", reason="the system has no such files")
def test_external_links_and_pipes_are_skipped(tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "elsewhere.py", tmp_path / "folder"
    elsewhere.write_bytes(OLD.encode())
    folder.mkdir()
    (folder / "own.py").write_bytes(OLD.encode())
    (folder / "inner.py").symlink_to("own.py")
    (folder / "outer.py").symlink_to(elsewhere)
    os.mkfifo(folder / "pipe.py")
    code, output = call("--in-place", folder)
    assert (code, "outer.py" in output, "pipe.py" in output) == (0, False, False)
    assert (elsewhere.read_bytes(), (folder / "own.py").read_bytes()) == (OLD.encode(), NEW.encode())
    assert call("--in-place", folder / "outer.py")[0] == 0
    assert elsewhere.read_bytes() == NEW.encode(), "a link given by name is followed"


def test_hidden_folders_and_virtual_environments_are_skipped(script: Path) -> None:
    (script.parent / "env/lib").mkdir(parents=True)
    (script.parent / "env/pyvenv.cfg").touch()
    (script.parent / ".cache").mkdir()
    (script.parent / "folder.py").mkdir()
    for place in ("env/lib/old.py", ".cache/old.py"):
        (script.parent / place).write_bytes(OLD.encode())
    code, output = call("--in-place", script.parent)
    assert (code, output.count("py: rewritten:")) == (0, 1)
    assert (script.parent / "env/lib/old.py").read_bytes() == OLD.encode()


def test_invalid_files_are_reported_and_unchanged(tmp_path: Path, script: Path) -> None:
    files_ = {
        "syntax.py": b"from tfpy import legacy as dl\nx = (\n",
        "modern.py": b"import tfpy as tf\ny = [\n",
        "latin.py": "from tfpy import legacy as dl  # \xe4\n".encode("latin-1"),
        "huge.py": b"from tfpy import legacy as dl\n" + b"#" * LARGEST,
        "locked.py": OLD.encode(),
        "deep.py": b"from tfpy import legacy as dl\nx = " + b"-" * 3000 + b"1\n",
        "nested.py": b"from tfpy import legacy as dl\nx = " + b"(" * 3000 + b"1" + b")" * 3000 + b"\n",
        "nul.py": b"from tfpy import legacy as dl\nx = 1\0\n",
        "long.py": b"from tfpy import legacy as dl\nx = 1" + b" + 1" * 5000 + b"\n",
    }
    for name, content in files_.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "locked.py").chmod(0o444)
    code, output = call("--in-place", *[tmp_path / name for name in files_], tmp_path / "missing.py", script)
    assert code == 1
    for message in ("syntax.py: does not parse: line", "modern.py: does not parse: line", "latin.py: is not text in UTF-8",
                  "huge.py: has", "locked.py: is read-only", "missing.py: cannot be read",
                  "deep.py: is nested too deeply", "long.py: is nested too deeply",
                  "nested.py: does not parse: line 2: too many nested parentheses", "nul.py: does not parse: source code", "files with errors: 10"):  # fmt: skip
        assert message in output.replace("\n", ""), message
    assert all((tmp_path / name).read_bytes() == content for name, content in files_.items())
    assert script.read_bytes() == NEW.encode()


@pytest.mark.skipif(os.name == "nt", reason="pathlib asks in another way there")
def test_forbidden_folders_are_reported(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = script.parent / "closed"
    closed.mkdir()
    forbid(monkeypatch, closed)
    code, output = call("--in-place", closed / "a.py", script.parent)
    assert code == 1
    for message in ("closed/a.py: cannot be read", "closed: cannot be read", "files with errors: 2"):
        assert message in output.replace("\n", "")
    assert script.read_bytes() == NEW.encode()


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="the system has no such file")
def test_files_without_end_are_rejected() -> None:
    code, output = call("/dev/zero")
    assert (code, output.splitlines()[0]) == (
        1,
        f"/dev/zero: has more than {LARGEST} characters, too many for a script",
    )


def test_failed_write_keeps_the_file(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    code, output = call("--in-place", script)
    assert code == 1
    assert "No space left" in output
    assert script.read_bytes() == OLD.encode()
    assert [p.name for p in script.parent.iterdir()] == ["old.py"]


def test_internal_errors_are_reported(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for result in (lambda _: 1 / 0, lambda _: files.Migration("x = (", 1, [])):
        monkeypatch.setattr(files, "migrate", result)
        code, output = call("--in-place", script)
        assert code == 1
        assert "cannot be rewritten" in output
        assert script.read_bytes() == OLD.encode()


def test_missing_libcst_error_names_the_extra(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: Any, **keywords: Any) -> Any:
        if name.partition(".")[0] == "libcst":
            raise ImportError(name)
        return real(name, *args, **keywords)

    monkeypatch.setitem(__import__("sys").modules, "libcst", None)
    monkeypatch.setattr(builtins, "__import__", without)
    code, output = call(script)
    assert code == 1
    assert "tfpy[migrate]" in output
