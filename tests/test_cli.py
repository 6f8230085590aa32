"""The command line interface, run as in a shell."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tfpy as tf


def run_cli(*arguments: str) -> str:
    """Run a command that must succeed, and return its standard output."""
    command = [sys.executable, "-m", "tfpy", *arguments]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_version() -> None:
    assert run_cli("--version").strip() == tf.__version__


def test_help_lists_the_commands() -> None:
    text = run_cli("--help")
    for command in ("demo", "doctor", "summary", "convert", "check-browser", "migrate", "js2py"):
        assert command in text


def test_summary_convert_and_check_browser(tmp_path: Path) -> None:
    tf.sequential([tf.layers.dense(units=2, activation="exponential", input_shape=[3])]).save(tmp_path, strict=False)
    assert "Total params: 8" in run_cli("summary", str(tmp_path))
    command = [sys.executable, "-m", "tfpy", "convert", str(tmp_path), str(tmp_path / "model.zip")]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert re.fullmatch(r"warning: model .* TF\.js has no activation 'exponential'\.\n", found.stderr)
    command = [sys.executable, "-m", "tfpy", "check-browser", str(tmp_path / "model.zip")]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (found.returncode, "exponential" in found.stdout) == (1, True)
    found = subprocess.run([*command[:-1], "nowhere"], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout, "nowhere" in found.stderr) == (1, "", True)


def test_control_characters_in_layer_names_are_escaped(tmp_path: Path) -> None:
    layer = tf.layers.dense(units=1, input_shape=[1], name="\x1b[2J\ud800\n")
    tf.sequential([layer]).save(tmp_path, strict=False)
    assert "\n\\x1b[2J\\ud800\\n (Dense)" in run_cli("summary", str(tmp_path))
    for arguments in (["check-browser", "."], ["convert", ".", "new.zip"], ["convert", ".", "new.onnx"]):
        command = [sys.executable, "-m", "tfpy", *arguments]
        found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        message = found.stdout + found.stderr
        assert "\\x1b[2J\\ud800\\n" in message
        assert not set("\x1b\ud800") & set(message)


@pytest.mark.parametrize(
    "command", [["js2py"], ["migrate"], ["migrate", "--diff"], ["js2py", "--out", "new"], ["summary"]]
)
def test_control_characters_in_file_names_are_escaped(command: list[str], tmp_path: Path) -> None:
    """The names of existing and of missing files."""
    name = "a\x1b[2J\u202e.py" if command[0] == "migrate" else "a\x1b[2J\u202e.js"
    (tmp_path / name).write_text(
        "from tfpy import legacy as dl\ndl.ENV.math.add(1, 2)\n" if "migrate" in command else "eval(x)"
    )
    for path in (name, f"not{name}", "."):
        arguments = [sys.executable, "-m", "tfpy", *command, path]
        found = subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert not set("\x1b\u202e") & set(found.stdout + found.stderr)
        assert "a\\x1b[2J\\u202e" in found.stdout + found.stderr or path == "." or "--out" in command


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_scripts_are_piped_in_utf8(tmp_path: Path, encoding: str) -> None:
    """`tfpy js2py a.js > a.py` writes a script that Python reads, whatever the system's encoding."""
    (tmp_path / "a.js").write_text("// 出力\nconsole.log('ü');", encoding="utf-8")
    (tmp_path / "b.py").write_text("from tfpy import legacy as dl\ndl.ENV.math.add('ü', 1)\n", encoding="utf-8")
    for arguments, expected in (("js2py a.js", "# 出力"), ("migrate --diff b.py", "+")):
        found = subprocess.run(
            [sys.executable, "-m", "tfpy", *arguments.split()], capture_output=True, check=False, cwd=tmp_path,
            env={**os.environ, "PYTHONIOENCODING": encoding},
        )  # fmt: skip
        text = found.stdout.decode("utf-8")
        assert expected in text
        assert "ü" in text


def test_characters_beyond_output_encoding_are_escaped(tmp_path: Path) -> None:
    tf.sequential([tf.layers.dense(units=1, input_shape=[1], name="größe")]).save(tmp_path / "m.keras")
    command = [sys.executable, "-m", "tfpy", "summary", "m.keras"]
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii"}
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=ascii_only)
    assert found.returncode == 0
    assert "gr\\xf6\\xdfe" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["summary", ""], 2, "is empty"),
        (["convert", "nowhere", ""], 2, "is empty"),
        (["migrate", "", "--in-place"], 2, "is empty"),
        (["js2py", ""], 2, "is empty"),
        (["js2py", "a.js", "-o", ""], 2, "is empty"),
        (["convert", "nowhere", "out.zip"], 1, "nowhere: no such file or folder."),
        (["convert", "~/nowhere", "out.zip"], 1, "give os.path.expanduser(path)"),
        (["convert", "nowhere", "out.zip", "--quantize", "uint8"], 1, "nowhere: no such file or folder."),
        (["convert", "nowhere", "out.zip", "--quantize", "int4"], 2, "must be one of uint8, uint16, float16"),
        (["check-browser", "."], 1, "has no model.json"),
        (["js2py", "nowhere.js"], 1, "nowhere.js: cannot be read"),
        (["js2py", f"{'a' * 300}.js"], 1, "ame too long"),
        (["summry"], 2, "Did you mean 'summary'?"),
    ],
)
def test_errors_are_reported_without_traceback(tmp_path: Path, arguments: list[str], code: int, message: str) -> None:
    command = [sys.executable, "-m", "tfpy", *arguments]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (found.returncode, found.stdout) == (code, "")
    assert message in found.stderr
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize(
    ("variable", "message"),
    [
        ("TFPY_BACKEND", "Unknown TFPY_BACKEND 'foo'."),
        ("TFPY_SHARDS", "The variable TFPY_SHARDS must be a whole number"),
    ],
)
def test_invalid_environment(variable: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "foo")
    assert run_cli("--version").strip() == tf.__version__
    found = subprocess.run([sys.executable, "-m", "tfpy", "demo"], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr[: len(message)]) == (1, message)


@pytest.mark.parametrize("arguments", [["summary", "."], ["js2py", "a.js"]])
def test_unwritable_standard_output(tmp_path: Path, arguments: list[str]) -> None:
    tf.sequential([tf.layers.dense(units=2, input_shape=[3])]).save(tmp_path)
    (tmp_path / "a.js").write_text("const a = 1;")
    command = [sys.executable, "-m", "tfpy", *arguments]
    with (tmp_path / "a.js").open("rb") as unwritable:
        found = subprocess.run(command, stdout=unwritable, stderr=subprocess.PIPE, text=True, check=False, cwd=tmp_path)
    assert found.returncode == 1
    assert found.stderr.splitlines()[-1].startswith("tfpy: [Errno ")
    assert "Traceback" not in found.stderr
    assert "Exception" not in found.stderr


def test_missing_package_error_names_the_extra(tmp_path: Path) -> None:
    for name, package, arguments in (("js", "tree_sitter", "js2py a.js"), ("migrate", "libcst", "migrate a.py")):
        (tmp_path / "a.js").write_text("1")
        code = f"import sys; sys.modules[{package!r}] = None; from tfpy.cli import app; app({arguments.split()})"
        command = [sys.executable, "-c", code]
        found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (found.returncode, found.stdout) == (1, "")
        assert f"pip install 'tfpy[{name}]'" in found.stderr


def test_quick_demo() -> None:
    text = run_cli("demo", "--quick")
    assert "The same to the last bit: True" in text
    assert "SimpleRNN" in text
    assert "epoch 3/3" in text
    assert "What to try next" in text
    assert "\nNone\n" not in text


@pytest.mark.slow
def test_full_demo_reaches_accuracy() -> None:
    text = run_cli("demo")
    letters, speakers = (float(found) for found in re.findall(r"^([\d.]+)% of", text, re.MULTILINE))
    assert letters >= 90
    assert speakers >= 90


@pytest.mark.gl
def test_doctor() -> None:
    text = run_cli("doctor")
    assert "self-test  sum: right" in text
    assert "WRONG" not in text
    found = subprocess.run([sys.executable, "-m", "tfpy", "doctor"], capture_output=True, text=True, check=False)
    assert found.stderr == ""
