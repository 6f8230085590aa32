"""tf.leaks: tensors that a block leaves behind, their origins, and the pytest fixture."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Thread
from typing import Any
from xml.etree import ElementTree

import pytest

import tfpy as tf
from tfpy.core.diagnostics import origins
from tfpy.core.diagnostics.leaks import Leaks
from tfpy.engine.handle import watching
from tfpy.engine.warn import warn_user

pytest_plugins = ["tfpy.pytest_plugin"]


def line() -> int:
    """The line of the caller."""
    return sys._getframe(1).f_lineno


def test_leaks_are_reported_with_op_and_line() -> None:
    before = tf.ones([3])
    with tf.leaks() as report:
        held = [before.add(i) for i in range(3)]
        place = line() - 1
        before.mul(2)  # freed at once, since nothing refers to it
    found = list(report)
    assert len(report) == 3
    assert [(f.op, f.file, f.line, f.count, f.bytes) for f in found] == [("add", __file__, place, 3, 36)]
    assert found[0].tensors == [("float32", (3,))] * 3
    text = str(report)
    assert text.startswith("3 tensors were left behind, 36 bytes.")
    assert f"add at {__file__}:{place} (held = [before.add(i)" in text
    assert len(held) == 3


def test_code_beside_the_package_is_user_code() -> None:
    """A folder whose name starts like the package's is not part of the package."""
    place = f"{Path(tf.__file__).parent}_project/run.py"
    with tf.leaks() as report:
        names: dict[str, Any] = {"tf": tf}
        exec(compile("\nkept = tf.ones([2])", place, "exec"), names)
        [leak] = report
    assert (leak.op, leak.file, leak.line) == ("ones", place, 2)
    with pytest.warns(UserWarning, match="look here") as found:
        exec(compile("\nwarn('look here')", place, "exec"), {"warn": warn_user})
    assert (found[0].filename, found[0].lineno) == (place, 2)


def test_report_is_printed_unless_empty_or_failed(capsys: pytest.CaptureFixture[str]) -> None:
    with tf.leaks():
        held = tf.ones([3])
    assert capsys.readouterr().out.startswith("1 tensor was left behind, 12 bytes.\n  1 of 12 bytes by ones at ")
    with tf.leaks(), tf.tidy():
        tf.ones([3])
    with tf.leaks(verbose=False):
        held = tf.ones([3])
    with pytest.raises(ValueError, match="broadcast"), tf.leaks():
        held.add(tf.ones([2]))
    assert capsys.readouterr().out == ""
    assert held.shape == (3,)


def test_report_without_leaks() -> None:
    with tf.leaks() as report:
        tf.tidy(lambda: tf.ones([3]).add(1))
        tf.ones([2]).dispose()
    assert (len(report), list(report)) == (0, [])
    report.check()


def test_returned_and_kept_tensors_are_reported() -> None:
    kept: list[Any] = []
    with tf.leaks() as report:
        out = tf.tidy(lambda: (kept.append(tf.keep(tf.zeros([5]))), tf.ones([7]))[1])
        assert [x.bytes for x in report] == [28, 20]  # can be read inside, too
    assert [x.op for x in report] == ["ones", "zeros"]
    out.dispose()
    kept[0].dispose()
    assert len(report) == 2  # the report is of the end of the block


def test_variables_are_reported_unless_allowed() -> None:
    with tf.leaks() as report:
        v = tf.variable(tf.ones([2]))
        w = report.allow({"w": [tf.variable(tf.ones([4]))]})
    assert [x.bytes for x in report] == [8]
    v.dispose()
    w["w"][0].dispose()


def test_nested_blocks_and_other_threads() -> None:
    held: list[Any] = []
    with tf.leaks() as outer:
        first = tf.ones([1])
        with tf.leaks() as inner:
            thread = Thread(target=lambda: held.append(tf.ones([2])))
            thread.start()
            thread.join()
        assert [x.bytes for x in inner] == [8]
    assert sum(x.bytes for x in outer) == 12
    assert first.size == 1


def test_error_of_disposed_tensor_shows_origin_and_disposal() -> None:
    with tf.leaks():
        x = tf.ones([2])
        created = line() - 1
        x.dispose()
        disposed = line() - 1
        with pytest.raises(RuntimeError) as error:
            x.add(1)
    assert f"It was made by ones at {__file__}:{created}" in str(error.value)
    assert f"It was disposed by dispose at {__file__}:{disposed}" in str(error.value)
    with pytest.raises(RuntimeError) as error:
        x.add(1)
    assert "It was made" not in str(error.value)


def test_watching_is_off_outside_of_blocks() -> None:
    assert watching.watcher is None
    with tf.leaks():
        with tf.leaks():
            assert watching.watcher is not None
        assert watching.watcher is not None
    assert watching.watcher is None


def test_origins_of_freed_tensors_are_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origins, "_SWEEP_AT", 50)
    with tf.leaks():
        monkeypatch.setattr(origins._watch, "sweep_at", 50)
        x = tf.scalar(0)
        for _ in range(300):
            x = x.add(1)
        assert len(origins._watch.origins) <= 120
    assert x.data_sync()[0] == 300


def test_origins_of_live_tensors_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(origins, "_SWEEP_AT", 50)
    with tf.leaks(verbose=False) as report:
        monkeypatch.setattr(origins._watch, "sweep_at", 50)
        held = [tf.scalar(n) for n in range(60)]
    assert len(report) == len(held)


def test_invalid_use_of_report_raises() -> None:
    report = tf.leaks()
    with pytest.raises(RuntimeError, match="leaks: nothing was recorded"):
        len(report)
    assert repr(report) == "Leaks(nothing recorded yet)"
    with report:
        held = tf.ones([1])
    with pytest.raises(RuntimeError, match="leaks: 1 tensor was left behind"):
        report.check()
    with pytest.raises(RuntimeError, match="already been used"), report:
        pass
    assert held.size == 1


def test_no_leaks_fixture_allows_tensors(no_leaks: Leaks) -> None:
    tf.ones([3]).add(1)
    no_leaks.allow(tf.ones([1]))


def test_no_leaks_fixture_outcomes(tmp_path: Path) -> None:
    import subprocess

    (tmp_path / "conftest.py").write_text('pytest_plugins = ["tfpy.pytest_plugin"]\n')
    (tmp_path / "test_it.py").write_text("""
import pytest

import tfpy as tf

HELD = []

@pytest.fixture
def given(no_leaks):
    return tf.ones([5])

@pytest.fixture
def broken(no_leaks):
    mine = tf.ones([6])
    assert mine.size == 3

def test_with_a_given_tensor(no_leaks, given):
    assert given.size == 5

def test_with_a_broken_fixture(no_leaks, broken):
    pass

def test_that_leaks(no_leaks):
    HELD.append(tf.ones([3]))

def test_that_fails(no_leaks):
    mine = tf.ones([4])
    assert mine.size == 3
""")
    outcomes = tmp_path / "outcomes.xml"
    options = ["-p", "no:cacheprovider", f"--junit-xml={outcomes}"]
    command = [sys.executable, "-m", "pytest", *options, str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    outcomes_by_test = {
        case.get("name"): [(part.tag, str(part.get("message"))) for part in case]
        for case in ElementTree.parse(outcomes).iter("testcase")
    }
    [(outcome, message)] = outcomes_by_test["test_that_leaks"]
    assert outcome == "failure"
    assert "1 tensor was left behind, 12 bytes." in message
    for name, expected in (("test_that_fails", "failure"), ("test_with_a_broken_fixture", "error")):
        [(outcome, message)] = outcomes_by_test[name]
        assert outcome == expected
        assert "left behind" not in message
    assert outcomes_by_test["test_with_a_given_tensor"] == []


def test_tensors_may_be_allowed_after_the_block() -> None:
    with tf.leaks(verbose=False) as report:
        held = [tf.ones([2]), tf.ones([3])]
    assert len(report) == 2
    assert report.allow(held[0]) is held[0]
    assert [leak.bytes for leak in report] == [12]
    report.allow(held)
    report.check()


def test_debug_mode_warning_points_to_user_code() -> None:
    with pytest.warns(UserWarning, match="Debug mode is on"):
        tf.enable_debug_mode()
    place = line() + 3
    try:
        with pytest.warns(RuntimeWarning, match="'Log'.*in log at") as caught:
            tf.log(tf.tensor([-1.0]))
    finally:
        tf.env().set("DEBUG", False)
    assert [(w.filename, w.lineno) for w in caught] == [(__file__, place)]


class _RaisingClass:
    """An object whose `__class__` raises, as lazy objects of some libraries do."""

    @property
    def __class__(self) -> type:
        raise RuntimeError("not this one")


def test_objects_with_raising_class_are_ignored() -> None:
    objects = [_RaisingClass()]
    with tf.leaks() as report:
        t = tf.scalar(1)
    assert len(report) == 1
    assert len(objects) == 1
    t.dispose()
