"""`tfpy migrate` on files and folders: reading, comparing, writing, and reporting."""

from __future__ import annotations

import ast
import difflib
import io
import os
import stat
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import libcst as cst

from tfpy.core.system.terminal import print_code, visible
from tfpy.migrate.names import Names
from tfpy.migrate.rewrite import Migration, migrate
from tfpy.scripts import FileError, files_in, read_script, write_script

_MARK = "\ufeff"  # a byte order mark


class Outcome(NamedTuple):
    """The result of migrating a file.

    Attributes:
        path: the file.
        old: its text.
        migration: the result; None if there was an error.
        error: why it cannot be migrated; empty if it can.
    """

    path: Path
    old: str
    migration: Migration | None
    error: str

    @property
    def changed(self) -> bool:
        """Whether its text changes."""
        return self.migration is not None and self.migration.code != self.old


def outcomes(paths: Sequence[Path], to_write: bool) -> Iterator[Outcome]:
    """Yield the result of migrating each file; nothing is written.

    Args:
        paths: files, or folders, which stand for their Python files that use tfpy.legacy, except those in hidden
            folders and virtual environments.
        to_write: whether the files must be writable.
    """
    for path in paths:
        if os.path.isdir(path):
            for file in _python_files(path):
                found = _outcome(file, to_write, named=False)
                if found is not None:
                    yield found
        else:
            found = _outcome(path, to_write, named=True)
            assert found is not None
            yield found


def _python_files(folder: Path) -> Iterator[Path]:
    """The Python files of a folder, and the folders in it that cannot be listed."""
    files = files_in(folder, lambda place: place.name[0] == "." or os.path.exists(place / "pyvenv.cfg"))
    return (file for file in files if file.suffix == ".py" or os.path.isdir(file))


def _outcome(path: Path, to_write: bool, named: bool) -> Outcome | None:
    """The outcome of a file; None for a file of a folder that does not use the legacy API."""
    try:
        if path.suffix == ".ipynb":  # which is JSON, and happens to be an expression of Python
            raise FileError("is a notebook; `jupyter nbconvert --to script` makes a script of it")
        source = read_script(path, newline="")  # with its own line endings
        if not named and "legacy" not in source:  # holds for most files of a folder, which are not parsed
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the parser's warnings about the script do not concern the migration
            if not _is_legacy(source):
                return Outcome(path, source, Migration(source, 0, []), "") if named else None
            if to_write and not path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
                raise FileError("is read-only")
            return Outcome(path, source, _migrated(source), "")
    except FileError as error:
        return Outcome(path, "", None, str(error))
    except RecursionError:
        return Outcome(path, "", None, "is nested too deeply")
    except Exception as error:  # whatever is wrong with this file, the other files are still migrated
        return Outcome(path, "", None, f"cannot be rewritten: {type(error).__name__}: {error}")


def _migrated(source: str) -> Migration:
    """The migration of a file's text, including its byte order mark."""
    text = source.removeprefix(_MARK)
    found = migrate(text)
    try:
        ast.parse(found.code)
    except SyntaxError as error:
        raise FileError(f"cannot be rewritten: the result would not parse: {error.msg}") from None
    return found._replace(code=source[: len(source) - len(text)] + found.code)


def _is_legacy(source: str) -> bool:
    try:
        ast.parse(source.removeprefix(_MARK))  # libcst's parser has no recursion limit and would crash the process
        return Names(cst.parse_module(source)).is_legacy
    except SyntaxError as error:
        line = f"line {error.lineno}: " if error.lineno is not None else ""
        raise FileError(f"does not parse: {line}{error.msg}") from None
    except cst.ParserSyntaxError as error:
        message = error.message.splitlines()[0] if error.message else "syntax error"
        raise FileError(f"does not parse: line {error.raw_line}: {message}") from None


def write(outcome: Outcome) -> None:
    """Replace the old text by the new one, atomically: the file is never partly written.

    Raises:
        FileError: it cannot be written; the file is unchanged.
    """
    assert outcome.migration is not None
    write_script(outcome.path, outcome.migration.code)


def difference(outcome: Outcome) -> str:
    """The change of a file as a unified diff, which `patch` can apply."""
    assert outcome.migration is not None
    # Lines end only with "\n" here: str.splitlines also splits at form feeds.
    old, new = (io.StringIO(text, newline="\n").readlines() for text in (outcome.old, outcome.migration.code))
    names = (visible(outcome.path), visible(f"{outcome.path} (migrated)"))
    lines = difflib.unified_diff(old, new, *names)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def run(paths: Sequence[Path], diff: bool, check: bool, in_place: bool) -> int:
    """Migrate files and print a line for each.

    Returns:
        The exit code: 1 if a file cannot be migrated, or if one would change and `check` is set; otherwise 0.
    """
    failed = to_change = rewritten = left = 0
    for outcome in outcomes(paths, in_place):
        error = outcome.error
        if outcome.changed and in_place and not check:
            try:
                write(outcome)
            except FileError as problem:
                error = str(problem)
        if error or outcome.migration is None:
            print(visible(f"{outcome.path}: {error}"))
            failed += 1
            continue
        if diff and outcome.changed:
            print_code(difference(outcome))
        to_change += outcome.changed
        rewritten += outcome.migration.rewritten
        left += len(outcome.migration.left)
        print(visible(f"{outcome.path}: {_outcome_text(outcome, in_place and not check)}"))
    print(f"Constructs rewritten: {rewritten}; left with a comment: {left}; files with errors: {failed}.")
    return int(failed > 0 or (check and to_change > 0))


def _outcome_text(outcome: Outcome, written: bool) -> str:
    assert outcome.migration is not None
    if not outcome.changed:
        left = len(outcome.migration.left)
        return f"nothing to do, {left} left with a comment" if left else "nothing to do"
    counts = f"{outcome.migration.rewritten} constructs, {len(outcome.migration.left)} left with a comment"
    return f"rewritten: {counts}" if written else f"to rewrite: {counts}"
