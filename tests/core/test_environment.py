"""The environment: flags, the platform, debug mode, fetch and versions."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy.core.system import urls


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    platform = tf.env().platform
    yield
    tf.env().reset()
    tf.env().set_platform("python", platform)


def test_flag_default_and_set_value() -> None:
    env = tf.env()
    seen: list[int] = []
    env.registerFlag("ANSWER", lambda: 42, seen.append)
    assert env.get("ANSWER") == env.getNumber("ANSWER") == 42
    env.set("ANSWER", 43)
    assert env.get_number("ANSWER") == 43
    assert seen == [43]
    assert env.get_flags()["ANSWER"] == env.features["ANSWER"] == 43
    env.set_flags({"ANSWER": 1})
    assert env.get("ANSWER") == 1
    assert env.evaluate_flag("ANSWER") == 42


def test_reset_restores_flag_defaults() -> None:
    env = tf.env()
    seen: list[object] = []
    env.register_flag("LEVEL", lambda: 1, seen.append, lambda: seen.append("reset"))
    env.reset()
    assert seen == [], "it had no value"
    env.set("LEVEL", 2)
    env.reset()
    assert seen == [2, "reset"]
    assert env.get("LEVEL") == 1

    shards = env.get("CPU_SHARDS")
    env.set("CPU_SHARDS", shards + 1)
    env.reset()
    assert env.get("CPU_SHARDS") == shards


@pytest.mark.parametrize("count", ["many", -1, 1.5])
def test_rejected_flag_value_is_not_set(count: Any) -> None:
    tf.env().set("CPU_SHARDS", 3)
    with pytest.raises((ValueError, TypeError), match="CPU_SHARDS"):
        tf.env().set("CPU_SHARDS", count)
    assert tf.env().get("CPU_SHARDS") == tf.env().evaluate_flag("CPU_SHARDS") == 3


def test_debug_mode_is_off_if_its_warning_raises(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserWarning, match="Debug mode"):  # in tests warnings are errors
        tf.enable_debug_mode()
    assert not tf.env().get("DEBUG")
    tf.ones([2]).add(1)
    assert capsys.readouterr().out == ""


def test_flag_default_may_be_a_coroutine() -> None:
    async def rule() -> int:
        return 7

    tf.env().register_flag("LATER", rule)
    with pytest.raises(RuntimeError, match="get_async"):
        tf.env().get("LATER")
    assert asyncio.run(tf.env().getAsync("LATER")) == 7
    assert tf.env().get("LATER") == 7


def test_flags_of_tfjs_backends_are_accepted() -> None:
    env = tf.env()
    assert env is tf.ENV
    assert env.getNumber("CPU_HANDOFF_SIZE_THRESHOLD") == 128
    assert not env.getBool("WEBGL_PACK_CLIP")
    env.reset()
    with pytest.warns(
        UserWarning, match="set: the flag WEBGL_PACK is for TF.js's backends, and has no effect"
    ) as found:
        env.set("WEBGL_PACK", True)
    assert (len(found), found[0].filename) == (1, __file__)
    assert env.get("WEBGL_PACK") is True
    assert env.get("WEBGL_PACK_CLIP") is True, "it follows the other"
    assert asyncio.run(env.getAsync("WASM_HAS_SIMD_SUPPORT")) is False
    with pytest.raises(ValueError, match="WEBGL_PACK_CLIP"):
        env.set("WEBGL_PACK_CLIPS", True)


def test_unknown_flag_raises() -> None:
    with pytest.raises(ValueError, match="NOPE"):
        tf.env().get("NOPE")
    with pytest.raises(ValueError, match="DEBUG"):
        tf.env().set("DEBUGG", True)


def test_debug_mode_names_kernel_that_first_gives_nan(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.warns(UserWarning, match="Debug mode"):
        tf.enable_debug_mode()
    with pytest.warns(RuntimeWarning, match=r"nan in the result of 'Log' of \(float32 \[2\]\)") as found:
        tf.log([-1.0, 1.0]).add(1)
    assert len(found) == 1
    assert "Log " in capsys.readouterr().out
    tf.env().set("DEBUG", False)
    tf.log([-1.0])
    assert capsys.readouterr().out == ""
    assert "run" not in vars(tf.backend())


def debug_warnings(compute: Callable[[], object]) -> list[str]:
    """The warnings of debug mode while a function runs."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tf.enable_debug_mode()
        compute()
        tf.env().set("DEBUG", False)
    return [str(w.message) for w in caught if w.category is RuntimeWarning]


@pytest.mark.usefixtures("capsys")
def test_debug_mode_names_layer() -> None:
    model = tf.sequential([tf.layers.lambda_(function=lambda x: x.log(), name="logarithm", input_shape=[2])])
    (message,) = debug_warnings(lambda: model.predict(tf.zeros([1, 2])))
    assert message.startswith(
        "Found -inf in the result of 'Log' of (float32 [1, 2]), in layer logarithm (Lambda), log at "
    )


@pytest.mark.usefixtures("capsys")
def test_debug_mode_names_innermost_layer() -> None:
    inner = tf.layers.lambda_(function=lambda x: x.log(), name="inner", input_shape=[2])
    model = tf.sequential([tf.layers.time_distributed(layer=inner, input_shape=[3, 2], name="outer")])
    message, *_ = debug_warnings(lambda: model.predict(tf.zeros([1, 3, 2])))
    assert ", in layer inner (Lambda), log at " in message

    failing = tf.layers.lambda_(function=lambda x: tf.concat([x, tf.zeros([3, 3, 3])]), name="failing")
    with pytest.raises(ValueError, match="concat"):
        failing.apply(tf.zeros([2]))
    (message,) = debug_warnings(lambda: tf.log(tf.zeros([2])))
    assert "in the result of 'Log' of (float32 [2]), in log at " in message


@pytest.mark.usefixtures("capsys")
def test_debug_mode_warns_once_about_nan_inputs() -> None:
    model = tf.sequential([tf.layers.dense(units=2, input_shape=[2], name="first")])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    y = np.ones((1, 2), np.float32)
    (message,) = debug_warnings(lambda: model.fit(np.array([[1, np.nan]], np.float32), y, verbose=0))
    assert message.startswith("Found nan in the inputs of ")
    (message,) = debug_warnings(lambda: model.predict(y))
    assert ", in layer first (Dense)" in message, "the weights are NaN after training"


def test_deprecation_warnings_can_be_disabled() -> None:
    with pytest.warns(DeprecationWarning, match="old"):
        tf.deprecation_warn("old")
    tf.disable_deprecation_warnings()
    tf.deprecation_warn("old")
    tf.env().reset()
    tf.enable_prod_mode()
    tf.deprecation_warn("old")


def test_custom_platform_is_used_by_util() -> None:
    class FixedPlatform:
        def now(self) -> float:
            return 5.0

        def encode(self, text: str, encoding: str) -> bytes:
            return text.upper().encode(encoding)

    tf.set_platform("fixed", FixedPlatform())
    assert tf.util.now() == 5
    assert tf.util.encodeString("a") == b"A"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args: Any) -> None: ...

        def do_PUT(self) -> None:
            self.send_response(200)
            self.end_headers()
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.wfile.write(self.headers["X-Key"].encode() + b" " + body)

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_fetch_returns_http_errors_as_responses(tmp_path: Path, server: str) -> None:
    (tmp_path / "a.txt").write_text("A")
    found, missing, refused = (
        tf.util.fetch(f"{server}/a.txt"),
        tf.util.fetch(f"{server}/b.txt"),
        tf.util.fetch(f"{server}/a.txt", {"method": "POST", "body": "x"}),
    )
    assert (found.ok, found.status, found.text()) == (True, 200, "A")
    assert (missing.ok, missing.status) == (False, 404)
    assert (refused.ok, refused.status) == (False, 501)
    sent = tf.util.fetch(f"{server}/a.txt", {"method": "PUT", "body": "ä", "headers": {"X-Key": "1"}})
    assert sent.text() == "1 ä"
    with pytest.raises(OSError, match="ftp"):
        tf.util.fetch("ftp://127.0.0.1/a.txt")
    with pytest.raises(FileNotFoundError, match=r"b\.txt"):
        tf.util.fetch((tmp_path / "b.txt").as_uri())


def test_fetch_reads_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"a": 1}')
    answer = tf.util.fetch(path.as_uri())
    assert answer.ok
    assert answer.json() == {"a": 1}
    assert answer.text() == '{"a": 1}'

    async def wait() -> int:
        return (await tf.util.fetch(path.as_uri())).status

    assert asyncio.run(wait()) == 200


def test_versions() -> None:
    assert tf.version["tfjs-core"] == tf.version.tfjs == tf.version_core == tf.version_layers == "4.22.0"
    assert tf.version.tfpy == tf.__version__


def test_unknown_flag_error_lists_effective_flags() -> None:
    with pytest.raises(ValueError, match=r"Unknown flag 'xx'\. Known: .*CHECK_COMPUTATION.*DEBUG") as caught:
        tf.env().get("xx")
    assert "WEBGL_PACK" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "path", "path_on_windows"),
    [
        ("file:///C:/my%20models/m", "/C:/my models/m", "C:/my models/m"),
        ("file://C:/m", "C:/m", "C:/m"),
        ("file://localhost/C:/m", "/C:/m", "C:/m"),
        ("file:///home/m", "/home/m", "/home/m"),
        ("C:\\m", "C:\\m", "C:\\m"),
    ],
)
def test_paths_of_file_urls(monkeypatch: pytest.MonkeyPatch, url: str, path: str, path_on_windows: str) -> None:
    for has_drives, expected in ((False, path), (True, path_on_windows)):
        monkeypatch.setattr(urls, "_HAS_DRIVES", has_drives)
        assert urls.local_path(url) == expected


def test_names_with_percent_signs_on_windows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Such a file is looked for under the path without the slash before the drive."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(urls, "_HAS_DRIVES", True)
    place = tmp_path / "C:" / "50%25"
    place.parent.mkdir()
    place.touch()
    assert urls.local_path("file:///C:/50%25") == "C:/50%25"
