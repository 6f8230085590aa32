"""The command `tfpy js2py` on folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from forbidden import forbid
from typer.testing import CliRunner

import tfpy.cli
from tfpy.js2py.project.files import run
from tfpy.scripts import LARGEST


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two scripts."""
    (tmp_path / "src" / "some-lib").mkdir(parents=True)
    (tmp_path / "src" / "main.js").write_text("import {x} from './some-lib/values.js';\nconsole.log(x);\n")
    (tmp_path / "src" / "some-lib" / "values.js").write_text("export const x = 1;\n")
    return tmp_path / "src"


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_layout_is_kept_and_each_file_is_reported(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder.parent / "out"
    (folder / "some-lib" / "page.js").write_text("export const y = 7;\n\ndocument.title = 'x';\n")
    assert run(folder, str(out), force=False) == 1
    assert files(out) == ["main.py", "some_lib/page.py", "some_lib/values.py"]
    assert (out / "main.py").read_text() == "from some_lib.values import x\n\nprint(x)\n"
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        f"{folder}/main.js: written to {out}/main.py; left to do: 0; to check: 0",
        f"{folder}/some-lib/page.js:3: document exists only in browsers",
        f"{folder}/some-lib/page.js: written to {out}/some_lib/page.py; left to do: 1; to check: 0",
        f"{folder}/some-lib/values.js: written to {out}/some_lib/values.py; left to do: 0; to check: 0",
        "Files written: 3; with errors: 0.",
        "Not complete. Places left to do: 1; to check: 0. All are marked `# js2py:`.",
    ]


def test_scripts_in_pages_are_converted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "main.html").write_text("<script src='main.js'></script>\n<p>no script of its own</p>")
    (folder / "show.html").write_text(
        "<p>\n<script type='module'>import {x} from './some-lib/values.js';\nconsole.log(x);\nalert(x);</script>"
    )
    (folder / "some-lib" / "values.htm").write_text("<script>let y;</script>")
    out = folder.parent / "out"
    assert run(folder, str(out), force=False) == 1
    assert files(out) == ["main.py", "show.py", "some_lib/values.py"]
    assert (out / "show.py").read_text().startswith("from some_lib.values import x\n\nprint(x)\n")
    assert (out / "some_lib" / "values.py").read_text() == "x = 1\n"
    captured = capsys.readouterr().err
    assert f"{folder}/show.html:4: alert exists only in browsers\n" in captured
    assert f"{folder}/some-lib/values.htm: would become the same file as {folder}/some-lib/values.js.\n" in captured
    assert f"Left out: {folder}/main.html.\n" in captured


def test_existing_file_prevents_writing_without_force(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder.parent / "out"
    (out / "some_lib").mkdir(parents=True)
    (out / "some_lib" / "values.py").write_text("mine")
    assert run(folder, str(out), force=False) == 1
    assert capsys.readouterr().err == f"{out}/some_lib/values.py already exists; --force overwrites it.\n"
    assert files(out) == ["some_lib/values.py"]
    assert run(folder, str(out), force=True) == 0
    assert (out / "some_lib" / "values.py").read_text() == "x = 1\n"
    assert run(folder, str(out), force=False) == 1
    assert "main.py and 1 more already exist; --force overwrites them." in capsys.readouterr().err


def test_other_files_and_dependencies_are_skipped(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in (
        "node_modules/x/index.js",
        ".git/hook.js",
        "types.d.ts",
        "page.tsx",
        "notes.txt",
        "some-lib/.old/a.js",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("document.title;")
    (folder / "linked").symlink_to(folder / "some-lib", target_is_directory=True)
    assert run(folder, str(folder.parent / "out"), force=False) == 0
    assert files(folder.parent / "out") == ["main.py", "some_lib/values.py"]
    left_out = [line for line in capsys.readouterr().err.splitlines() if line.startswith("Left out")]
    names = (".git", "linked", "node_modules", "page.tsx", "types.d.ts", "some-lib/.old")
    assert left_out == [f"Left out: {', '.join(f'{folder}/{name}' for name in names)}."]
    for number in range(4):
        (folder / f"{number}.d.ts").write_text("")
    run(folder, str(folder.parent / "out"), force=True)
    assert " and 4 more.\n" in capsys.readouterr().err


def test_invalid_scripts_do_not_stop_the_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "some-lib" / "values.js").write_text("export const x = ;\n")
    (folder / "large.js").write_text("//" + " " * LARGEST)
    (folder / "binary.js").write_bytes(b"\xff\xfe\x00")
    (folder / "Main.ts").write_text("f();")
    out = folder.parent / "out"
    assert run(folder, str(out), force=False) == 1
    captured = capsys.readouterr().err
    assert files(out) == ["Main.py"]
    for fault in (
        f"{folder}/some-lib/values.js:1:16: syntax error",
        f"{folder}/large.js: has more than {LARGEST} characters, too many for a script.\n",
        f"{folder}/binary.js: is not text in UTF-8.\n",
        f"{folder}/main.js: would become the same file as {folder}/Main.ts.\n",
        "Files written: 1; with errors: 4.\nNot complete. Places left to do: 0;",
    ):
        assert fault in captured


def test_unwritable_file_does_not_stop_the_others(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder.parent / "out"
    out.mkdir()
    (out / "some_lib").write_text("a file where a folder must be")
    assert run(folder, str(out), force=False) == 1
    assert files(out) == ["main.py", "some_lib"]
    assert f"{folder}/some-lib/values.js: {out}/some_lib cannot be created: File exists.\n" in capsys.readouterr().err


def test_forbidden_folders_are_reported(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = folder.parent / "out"
    for closed in (folder / "some-lib", folder):
        forbid(monkeypatch, closed)
        assert run(folder, str(out), force=True) == 1
        assert files(out) == ["main.py"]
        assert f"{closed}: cannot be listed.\n" in capsys.readouterr().err


@pytest.mark.parametrize("out", [None, "-"])
def test_output_folder_is_required(out: str | None, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, out, force=False) == 2
    assert capsys.readouterr().err == f"{folder} is a folder; --out says which folder the Python goes to.\n"


def test_invalid_input_and_output_folders(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(folder, str(folder / "main.js"), force=True) == 1
    assert capsys.readouterr().err == f"{folder}/main.js is not a folder; the output for a folder must be one.\n"
    empty = folder.parent / "empty"
    empty.mkdir()
    assert run(empty, str(folder.parent / "out"), force=False) == 1
    assert f"{empty} has no scripts: no file that ends in .js" in capsys.readouterr().err
    assert not (folder.parent / "out").exists()


def test_command_line(folder: Path) -> None:
    out = folder.parent / "out"
    assert CliRunner().invoke(tfpy.cli.app, ["js2py", str(folder), "-o", str(out)]).exit_code == 0
    assert files(out) == ["main.py", "some_lib/values.py"]
