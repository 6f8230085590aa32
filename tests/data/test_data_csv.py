"""CSV and text data sets: parsing as in TF.js, sources, gzip, errors, and bounded memory."""

from __future__ import annotations

import gzip
import math
import re
import subprocess
import sys
import tracemalloc
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from data.recorded import TFJS, assert_same_outcome, number
from growth import growth
from hypothesis import given
from hypothesis import strategies as st

import tfpy as tf
from tfpy import legacy as dl
from tfpy.data import sources
from tfpy.data.csv_dataset import split_row
from tfpy.data.sources import FileDataSource
from tfpy.engine.javascript_numbers import text_number

TABLE = "name,size,kind\nan ant,1.5,x\na bee,,y\n"
# Recorded files with columns that mix text and numbers.
MIXED = [case["text"] for case in TFJS["csv"] if '"a "q" b"' in case["text"] or "FALSE,x" in case["text"]]
ROWS = [{"name": "an ant", "size": 1.5, "kind": "x"}, {"name": "a bee", "size": None, "kind": "y"}]


# Parsing


def test_splitting_lines_matches_tfjs() -> None:
    for case in TFJS["lines"]:
        cells = split_row(case["line"], " " if case["blanks"] else ",", case["blanks"])
        assert cells == case["cells"], case["line"]


def test_parsing_numbers_matches_tfjs() -> None:
    for case in TFJS["numbers"]:
        assert text_number(case["text"]) == number(case["number"]), case["text"]
    assert text_number("0x" + "f" * 1000) == math.inf


def test_parsing_long_numbers_takes_linear_time() -> None:
    assert growth(lambda n: text_number("1" * n + "x"), 10_000) < 40


def test_reading_long_headers_takes_linear_time() -> None:
    def read(count: int) -> None:
        header = ",".join(map(str, range(count)))
        assert len(tf.data.csv(header.encode()).column_names()) == count

    assert growth(read, 5_000) < 40


@pytest.mark.parametrize("case", TFJS["csv"], ids=lambda case: repr(case["text"])[:30] + str(len(case["config"])))
def test_rows_and_batches_match_tfjs(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(case["text"].encode())
    assert_same_outcome(lambda: tf.data.csv(f"file://{path}", case["config"]).to_array(), case["rows"])
    if case["text"] not in MIXED:
        assert_same_outcome(lambda: tf.data.csv(path, case["config"]).batch(2).to_array(), case["batch"])


def test_batch_with_text_and_numbers_raises() -> None:
    """TF.js reads the text as NaN."""
    with pytest.raises(TypeError, match="'b'.*all of one kind"):
        tf.data.csv(b"a,b\n1,2\n3,x").batch(2).to_array()


def test_bool_default_in_text_column_becomes_text() -> None:
    dataset = tf.data.csv(b"a,b\nx,1\n,2\n", column_configs={"a": {"default": True}})
    assert dataset.batch(2).to_array()[0]["a"].array_sync() == ["x", "true"]


def test_empty_cells_with_and_without_default() -> None:
    configs: dict[str, Any] = {"a": {"dtype": "float32"}, "b": {"default": 0.5}}
    assert tf.data.csv(b"a,b,c\n,,\n", column_configs=configs).to_array() == [{"a": None, "b": 0.5, "c": None}]
    assert tf.data.csv(b"a,b\n1,", column_configs={"b": {"default": 0, "isLabel": True}}).to_array() == [
        {"xs": {"a": 1}, "ys": {"b": 0}}
    ]
    for config in ({"required": True}, {"isLabel": True}):
        with pytest.raises(ValueError, match="required column 'b' is empty"):
            tf.data.csv(b"a,b\n1,", column_configs={"b": config}).to_array()


def test_forms_of_options() -> None:
    data = b"1;2"
    forms: list[dict[str, Any]] = [
        {"csv_config": {"hasHeader": False, "columnNames": ["a", "b"], "delimiter": ";"}},
        {"has_header": False, "column_names": ["a", "b"], "delimiter": ";"},
        {"hasHeader": False, "columnNames": ("a", "b"), "delimiter": ";"},
    ]
    for form in forms:
        assert tf.data.csv(data, **form).to_array() == [{"a": 1, "b": 2}]
        assert tf.data.CSVDataset(FileDataSource(data), **form).to_array() == [{"a": 1, "b": 2}]


def test_label_columns_and_column_names() -> None:
    for config in ({"isLabel": True}, {"is_label": True}):
        d = tf.data.csv(b"a,b,c\n1,2,3", column_configs={"b": config, "a": {}}, configured_columns_only=True)
        assert d.column_names() == d.columnNames() == ["b", "a"]
        assert d.to_array() == [{"xs": {"a": 1}, "ys": {"b": 2}}]
    assert tf.data.csv(b"a,b\n").columnNames() == ["a", "b"]


def test_empty_cells_in_batches_are_nan_or_empty_strings() -> None:
    batch = tf.data.csv(TABLE.encode()).batch(2).to_array()[0]
    assert list(batch["name"].data_sync()) == ["an ant", "a bee"]
    assert batch["size"].data_sync()[0] == 1.5
    assert math.isnan(batch["size"].data_sync()[1])
    mixed = tf.data.csv(b"code\nA1\n\n12").batch(3).to_array()[0]
    assert list(mixed["code"].data_sync()) == ["A1", "", "12"]


@pytest.mark.parametrize(
    ("text", "config", "message"),
    [
        (b"", {}, "empty"),
        (b"a,b\n1", {}, "'1'.*1"),
        (b"a,a\n1,2", {}, "'a'"),
        (b"a\n1", {"columnConfigs": {"aa": {}}}, "aa.*a"),
        (b"a\n1", {"columnConfigs": {"a": {"dtpye": "bool"}}}, "dtpye.*dtype"),
        (b"a\n1", {"columnConfigs": {"a": {"dtype": "float64"}}}, "float64"),
        (b"a\n1", {"columnConfigs": {"a": 3}}, "column_configs"),
        (b"a\n1", {"columnConfigs": ["a"]}, "column_configs.*a dict"),
        (b"a\n1", {"configuredColumnsOnly": True}, "configured_columns_only"),
        (b"a\n1,2" + b"3" * 1000, {}, "'1,2333*… has 2"),
        (b"a\n1\n2,3", {}, "has 2. It is line 3 of the given data"),
        (b"1\n2,3", {"hasHeader": False, "columnNames": ["a"]}, "has 2. It is line 2"),
        (b"a,b\n1,", {"columnConfigs": {"b": {"required": True}}}, "'b' is empty.* It is line 2"),
        (b"a\n1", {"delimiter": "ab"}, "delimiter"),
        (b"a\n1", {"delimiter": '"'}, "delimiter"),
        (b"a\n1", {"hasHeaders": True}, "hasHeader"),
        (b"1", {"hasHeader": False}, "column_names"),
        (b"a,b\n1,", {"columnConfigs": {"b": {"required": True}}}, "'b'.*'1,'"),
        (b"\x1f\x8bnonsense", {}, "gzip"),
    ],
)
def test_invalid_files_and_options_raise(text: bytes, config: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        tf.data.csv(text, config).to_array()


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_only_column_with_another_delimiter_warns(mark: str) -> None:
    table = f"a{mark}b\n1{mark}2".encode()
    with pytest.warns(UserWarning, match=re.escape(f"are the columns separated by delimiter={mark!r}?")):
        assert tf.data.csv(table).to_array() == [{f"a{mark}b": f"1{mark}2"}]
    assert tf.data.csv(table, delimiter=mark).to_array() == [{"a": 1, "b": 2}]


def test_make_data_element_before_reading() -> None:
    table = tf.data.csv(b"a,b\n1,2")
    assert table.make_data_element("3,4") == {"a": 3, "b": 4}
    with pytest.raises(TypeError, match="make_data_element: argument 'line' must be a string, but got None"):
        table.make_data_element(None)
    with pytest.raises(TypeError, match="csv: argument 'has_header' must be True or False"):
        tf.data.csv(b"a", has_header=np.ones(2))


def test_reading_continues_after_an_invalid_row() -> None:
    rows = tf.data.csv(b"a,b\n1,2\n3\n5,6").iterator()
    assert next(rows) == {"a": 1, "b": 2}
    with pytest.raises(ValueError, match="'3'"):
        next(rows)
    assert next(rows) == {"a": 5, "b": 6}
    errors: list[Exception] = []
    kept = tf.data.csv(b"a,b\n1,2\n3\n5,6\n7\n8,9").iterator().handle_errors(lambda e: not errors.append(e))  # type: ignore[func-returns-value]
    assert [row["a"] for row in kept] == [1, 5, 8]
    assert len(errors) == 2
    stopped = tf.data.csv(b"a,b\n1,2\n3\n5,6").iterator().handleErrors(lambda e: False)
    assert len(stopped.to_array()) == 1


# Sources


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    """The URL of a server of the files in tmp_path."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path)))
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_csv_from_every_source(tmp_path: Path, web: str) -> None:
    path = tmp_path / "a table.csv"
    path.write_text(TABLE, encoding="utf-8")
    (tmp_path / "table.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    bytes_ = np.frombuffer(TABLE.encode(), np.uint8)
    sources: list[Any] = [
        path,
        str(path),
        f"file://{path}",
        path.as_uri(),
        TABLE.encode(),
        bytes_,
        tmp_path / "table.csv.gz",
        gzip.compress(TABLE.encode()),
        f"{web}/a%20table.csv",
        f"{web}/table.csv.gz",
        tf.data.FileDataSource(path, {"chunkSize": 3}),
        tf.data.URLDataSource(f"{web}/a%20table.csv", {"chunkSize": 3}),
        tf.data.FileDataSource(f"file://{path}"),
        tf.data.FileDataSource(bytes_),
    ]
    for source in sources:
        d = tf.data.csv(source)
        assert d.to_array() == d.to_array() == ROWS, source


class TruncatingHandler(BaseHTTPRequestHandler):
    """Sends less than the announced length."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(TABLE) + 9))
        self.end_headers()
        self.wfile.write(TABLE.encode())

    def log_message(self, *args: Any) -> None:
        pass


def test_truncated_response_raises() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), TruncatingHandler) as server:
        Thread(target=server.serve_forever).start()
        url = f"http://127.0.0.1:{server.server_port}/x.csv"
        with pytest.raises(RuntimeError, match="x.csv cannot be read: the connection ended 9 bytes too early"):
            tf.data.csv(url).to_array()
        with pytest.raises(ValueError, match="x.csv: cannot be fetched: the connection ended 9 bytes too early"):
            tf.load_layers_model(url)
        with pytest.raises(ValueError, match="cannot read .*manifest.json': the connection ended 9 bytes too early"):
            dl.CheckpointLoader(url).get_all_variables()
        server.shutdown()


def test_source_offset_and_chunk_size(tmp_path: Path, web: str) -> None:
    (tmp_path / "letters").write_bytes(b"abcdefg")
    for source in (
        tf.data.FileDataSource(tmp_path / "letters", offset=2, chunk_size=3),
        tf.data.FileDataSource(b"abcdefg", {"offset": 2, "chunkSize": 3}),
        tf.data.URLDataSource(f"{web}/letters", {"offset": 2, "chunkSize": 3}),
    ):
        assert source.iterator().to_array() == [b"cde", b"fg"]
        assert source.iterator().decodeUTF8().to_array() == source.iterator().decode_utf8().to_array()
        assert "".join(source.iterator().decode_utf8()) == "cdefg"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p, web: tf.data.csv(p / "none.csv").to_array(), "none.csv"),
        (lambda p, web: tf.data.csv(p).to_array(), "cannot be read"),
        (lambda p, web: tf.data.csv(f"{web}/none.csv").to_array(), "none.csv.*404"),
        (lambda p, web: tf.data.csv("http://127.0.0.1:1/x").to_array(), "127.0.0.1:1"),
        (lambda p, web: tf.data.csv("http://127.0.0.1:1/a b").to_array(), "cannot be read"),
        (lambda p, web: tf.data.csv("a\0b").to_array(), "cannot be read"),
        (lambda p, web: tf.data.csv("ftp://a/b"), "ftp"),
        (lambda p, web: tf.data.csv(3), "source"),
        (lambda p, web: tf.data.FileDataSource([1.5]), "input"),
        (lambda p, web: tf.data.FileDataSource(b"", {"chunkSize": 0}), "chunk_size"),
        (lambda p, web: tf.data.FileDataSource(b"", {"offset": -1}), "offset"),
    ],
)
def test_invalid_source_raises(make: Any, message: str, tmp_path: Path, web: str) -> None:
    with pytest.raises((ValueError, TypeError, RuntimeError), match=message):
        make(tmp_path, web)


def test_404_responses_are_closed(web: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[urllib.error.HTTPError] = []

    def recorded(*args: Any) -> urllib.error.HTTPError:
        answers.append(urllib.error.HTTPError(*args))
        return answers[-1]

    monkeypatch.setattr(urllib.request, "HTTPError", recorded)
    with pytest.raises(RuntimeError, match="404"):
        tf.data.csv(f"{web}/none.csv").to_array()
    with pytest.raises(ValueError, match="404"):
        dl.CheckpointLoader(f"{web}/none").get_all_variables()
    with pytest.raises(tf.io.ModelFileError, match="404"):
        tf.load_layers_model(f"{web}/none/model.json")
    answer = tf.util.fetch(f"{web}/none")
    assert (answer.ok, answer.status) == (False, 404)
    assert [answer.closed for answer in answers] == [True] * 4


def test_text_line_dataset() -> None:
    lines = tf.data.TextLineDataset(tf.data.FileDataSource("\ufeffä\r\n\nz\ufeff\n".encode(), chunk_size=1))
    assert lines.to_array() == ["ä", "", "z\ufeff"]
    assert lines.batch(3).to_array()[0].data_sync()[0] == "ä"
    assert tf.data.TextLineDataset(b"a\xff").to_array() == ["a\ufffd"]
    assert tf.data.TextLineDataset(b"").to_array() == []


@given(st.text(alphabet="aä€😀\n\r", max_size=30), st.integers(1, 7))
def test_lines_do_not_depend_on_chunk_size(text: str, size: int) -> None:
    lines = text.split("\n")
    expected = [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]
    for data in (text.encode(), gzip.compress(text.encode())):
        assert tf.data.TextLineDataset(tf.data.FileDataSource(data, chunk_size=size)).to_array() == expected


def test_concatenated_and_truncated_gzip_members() -> None:
    packed = gzip.compress(b"a\nb") + gzip.compress(b"c\n")
    assert tf.data.TextLineDataset(packed).to_array() == ["a", "bc"]
    assert tf.data.TextLineDataset(packed + b"\0" * 9).to_array() == ["a", "bc"], "zero padding is ignored"
    with pytest.raises(ValueError, match="the given data: the gzip data are damaged: .*truncated"):
        tf.data.TextLineDataset(packed[:-5]).to_array()


def test_damaged_gzip_file_raises(tmp_path: Path) -> None:
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(b"a\n1\n")[:-5])
    for source in (path, str(path), path.as_uri(), tf.data.FileDataSource(path)):
        with pytest.raises(ValueError, match=r"x\.csv\.gz: the gzip data are damaged"):
            tf.data.csv(source).to_array()


# Memory


@pytest.mark.slow
def test_reading_uses_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "big.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("a,b,c\n")
        for block in range(5):
            file.writelines(f"{i},{block},some text in the row\n" for i in range(10_000))
    packed = tmp_path / "big.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes(), 1))
    for source in (path, packed):
        rows = tf.data.csv(tf.data.FileDataSource(source, chunk_size=1 << 14)).batch(250).map(lambda batch: batch["a"])
        tracemalloc.start()
        count = 0
        for batch in rows:
            count += batch.shape[0]
            batch.dispose()
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert count == 50_000
        assert path.stat().st_size > 1.3e6
        assert peak < 1e6


def test_gzip_is_decompressed_incrementally() -> None:
    bomb = gzip.compress(b"\n" * 50_000_000)
    tracemalloc.start()
    lines = tf.data.TextLineDataset(bomb).iterator()
    assert next(lines) == ""
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 80e6


def test_overlong_line_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "_LONGEST_PART", 1_000_000)
    assert tf.data.TextLineDataset(gzip.compress((b" " * 999_999 + b"\n") * 3)).to_array() == [" " * 999_999] * 3
    with pytest.raises(ValueError, match="more than 1000000 characters"):
        tf.data.TextLineDataset(gzip.compress(b" " * 50_000_000)).to_array()


def test_partially_read_file_is_closed(tmp_path: Path) -> None:
    """Otherwise Python warns, and warnings are errors in these tests."""
    path = tmp_path / "table.csv"
    path.write_text("a\n" + "1\n" * 1_000_000, encoding="utf-8")
    assert tf.data.csv(path).take(2).to_array() == [{"a": 1}, {"a": 1}]


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    block = "".join(f"{i},{i / 7:.6f},{'a long text ' * 16}\n" for i in range(5_000))
    peaks = []
    for size in (1e6, 1e9):
        path = tmp_path / f"{size}.csv"
        with path.open("w", encoding="utf-8") as file:
            file.write("a,b,c\n")
            while file.tell() < size:
                file.write(block)
        code = f"""
import resource, tfpy as tf
rows = sum(1 for _ in tf.data.csv({str(path)!r}))
print(rows, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
        output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        rows, kilobytes = map(int, output.split())
        assert rows == file_rows(path, block)
        peaks.append(kilobytes)
        path.unlink()
    assert peaks[1] < peaks[0] + 20_000


def file_rows(path: Path, block: str) -> int:
    """The number of rows of a file that repeats this block."""
    return round(path.stat().st_size / len(block)) * 5_000
