"""Overwriting saved models: after a crash either the old model or the new one is intact."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from saving.small_model import check_same, small_model

import tfpy as tf
from tfpy.core.io import new_files, writing


class Crash(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("shard_bytes", [None, 7])
def test_crash_leaves_the_old_or_the_new_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shard_bytes: int | None
) -> None:
    """Saving is interrupted before each of its file-system operations in turn."""
    steps = 0
    for cut in range(100):
        folder = tmp_path / str(cut)
        small_model(0.5, 2).save(tf.io.file_system(folder, weight_shard_size_bytes=shard_bytes))
        remaining = cut

        def counted(function: Any) -> Any:
            def call(*args: Any, **keywords: Any) -> Any:
                nonlocal remaining
                if remaining == 0:
                    raise Crash
                remaining -= 1
                return function(*args, **keywords)

            return call

        with monkeypatch.context() as patch:
            for name in ("replace", "link", "fsync"):
                patch.setattr(writing.os, name, counted(getattr(os, name)))
            patch.setattr(Path, "unlink", counted(Path.unlink))
            try:
                small_model(0.25, 3).save(tf.io.file_system(folder, weight_shard_size_bytes=shard_bytes))
                finished = True
            except Crash:
                finished = False
        model = tf.load_layers_model(folder)
        kernel = model.get_weights()[0].numpy()
        new = kernel.shape == (3, 3)
        assert (kernel == (0.25 if new else 0.5)).all()
        assert new or not finished
        small_model(0.75, 2).save(folder)
        check_same(folder, 0.75)
        if finished:
            steps = cut
            break
    assert steps > 5


def test_failed_save_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_model(0.5).save(tf.io.file_system(tmp_path, weight_shard_size_bytes=7))
    before = sorted(tmp_path.iterdir())
    replace = os.replace

    def full(old: Any, new: Any) -> None:
        if Path(new).name == "model.json":
            raise OSError(28, "No space left on device")
        replace(old, new)

    monkeypatch.setattr(writing.os, "replace", full)
    with pytest.raises(OSError, match="cannot be written: No space left"):
        small_model(0.25).save(tf.io.file_system(tmp_path, weight_shard_size_bytes=7))
    assert sorted(tmp_path.iterdir()) == before
    check_same(tmp_path, 0.5)


def test_interrupt_after_the_replacement_keeps_the_new_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_model(0.5).save(tmp_path)
    replace = os.replace

    def interrupted(old: Any, new: Any) -> None:
        replace(old, new)
        if Path(new).name == "model.json":
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(writing.os, "replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            small_model(0.25).save(tmp_path)
    check_same(tmp_path, 0.25)


def test_file_systems_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: Any) -> None:
        raise OSError("not supported")

    monkeypatch.setattr(writing.os, "link", no_links)
    for value in (0.5, 0.25, 0.75):
        small_model(value).save(tmp_path)
        check_same(tmp_path, value)
        assert len(list(tmp_path.glob("*.bin"))) == 1


def test_unserializable_model_keeps_the_old_model(tmp_path: Path) -> None:
    small_model().save(tmp_path)
    model = small_model(0.25)
    model.layers[0].units = float("nan")
    with pytest.raises(ValueError, match="JSON"):
        model.save(tmp_path)
    check_same(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
@pytest.mark.parametrize("name", ["model.zip", "model.json", "weights.bin", "model.keras"])
def test_special_files_are_not_replaced(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    place = tmp_path if name in ("model.json", "weights.bin") else tmp_path / name
    with pytest.raises(tf.io.ModelFileError, match="cannot be written: it is not a regular file"):
        small_model().save(place)
    assert (tmp_path / name).is_fifo()


def test_file_permissions_follow_the_umask(tmp_path: Path) -> None:
    small_model().save(tmp_path)
    umask = os.umask(0)
    os.umask(umask)
    assert {p.stat().st_mode & 0o777 for p in tmp_path.iterdir()} == {0o666 & ~umask}


def test_files_that_another_process_reads_on_windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There they cannot be replaced or deleted for a while."""
    small_model(0.5).save(tmp_path)
    move, delete, attempts = os.replace, Path.unlink, [0]

    def replace(file: Path, name: Path) -> None:
        attempts.append(attempts[-1] + 1)
        if attempts[-1] % 3:
            raise PermissionError("it is used by another process")
        move(file, name)

    def unlink(path: Path, missing_ok: bool = False) -> None:
        if path.suffix != ".part":
            raise PermissionError("it is used by another process")
        delete(path, missing_ok)

    monkeypatch.setattr(new_files, "_PAUSES", (0, 0))
    monkeypatch.setattr(writing.os, "replace", replace)
    monkeypatch.setattr(Path, "unlink", unlink)
    small_model(0.25).save(tmp_path)
    check_same(tmp_path, 0.25)
    assert attempts[-1] == 6
    monkeypatch.setattr(new_files, "_PAUSES", (0,))
    with pytest.raises(OSError, match="cannot be written: it is used"):
        small_model(0.5).save(tmp_path)
    check_same(tmp_path, 0.25)
