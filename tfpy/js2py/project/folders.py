"""The scripts of a folder, also those in pages, converted together, so that the imports between them are known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from tfpy.core.system.extras import optional_module
from tfpy.core.system.terminal import say
from tfpy.js2py.analysis.module import SUFFIXES, module_name
from tfpy.js2py.notes import Note
from tfpy.js2py.project.report import counts, fault_of, say_notes, summary
from tfpy.js2py.project.sources import PAGES, NoScriptError, source_of
from tfpy.scripts import FileError, files_in, write_script

if TYPE_CHECKING:
    from tfpy.js2py.project.project import Project

_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_NO_SCRIPTS = (".jsx", ".tsx", ".vue", ".svelte")  # which also contain HTML
_NAMED = 6  # the number of left-out files in the message


class _Folder:
    """A folder with scripts, and the output folder.

    Attributes:
        sources: the text of each script, and of those in each page.
        targets: the Python file of each.
        faults: the messages for scripts that cannot be converted.
        left_out: folders and files that are skipped.
        notes: what is left to do and to look at.
    """

    def __init__(self, root: Path, out: Path) -> None:
        self._root = root
        self.sources: dict[Path, str] = {}
        self.targets: dict[Path, Path] = {}
        self.faults: dict[Path, str] = {}
        self.left_out: list[Path] = []
        self.notes: list[Note] = []
        self._taken: dict[str, Path] = {}
        pages: list[Path] = []
        for path in files_in(root, self._is_left_out):
            if path.name.endswith((*_DECLARATIONS, *_NO_SCRIPTS)):
                self.left_out.append(path)
            elif path.suffix in SUFFIXES:
                self._add(path, out)
            elif path.suffix in PAGES:
                pages.append(path)
            elif path.is_dir():
                self.faults[path] = f"{path}: cannot be listed."
        for page in pages:  # after the scripts, which others import: index.js keeps its name beside index.html
            self._add(page, out)

    def _add(self, path: Path, out: Path) -> None:
        """Read a script, and choose its Python file."""
        try:
            source = source_of(path)
        except NoScriptError:
            self.left_out.append(path)
            return
        except FileError as error:
            self.faults[path] = fault_of(path, error)
            return
        module = module_name(self.name(path).with_suffix("").parts)
        other = self._taken.setdefault(module.casefold(), path)
        if other is path:
            self.sources[path] = source
            self.targets[path] = out.joinpath(*module.split(".")).with_suffix(".py")
        else:
            self.faults[path] = f"{path}: would become the same file as {other}."

    def _is_left_out(self, place: Path) -> bool:
        is_left_out = place.name.startswith(".") or place.name == "node_modules" or place.is_symlink()
        if is_left_out:
            self.left_out.append(place)
        return is_left_out

    def name(self, path: Path) -> PurePosixPath:
        """The path of a script, relative to the folder."""
        return PurePosixPath(path.relative_to(self._root))

    @contextmanager
    def noting(self, path: Path) -> Iterator[None]:
        """Record a script's error and continue with the other scripts."""
        try:
            yield
        except Exception as error:
            self.faults[path] = fault_of(path, error)


def run_folder(root: Path, out: Path, force: bool) -> int:
    """Convert the scripts of a folder, and report what is left to do in each.

    Args:
        root: the folder.
        out: the output folder, which gets the same layout.
        force: whether existing files are overwritten.

    Returns:
        The exit code: 0 if all is complete, 1 if something is left to do or a script cannot be converted.

    Raises:
        FileError: nothing can be converted, or files would be overwritten; nothing has been written then.
    """
    optional_module("tree_sitter", "js", "tfpy js2py")
    folder = _Folder(root, out)
    _check(folder, root, out, force)
    project = _read(folder)
    for path, target in folder.targets.items():
        if path not in folder.faults:
            with folder.noting(path):
                _convert(folder, project, path, target)
    _sum_up(folder)
    return int(any(note.left for note in folder.notes) or bool(folder.faults))


def _check(folder: _Folder, root: Path, out: Path, force: bool) -> None:
    """Raise FileError if there is nothing to convert, or something would be overwritten."""
    if out.exists() and not out.is_dir():
        raise FileError(f"{out} is not a folder; the output for a folder must be one.")
    if not folder.targets:
        none = f"{root} has no scripts: no file that ends in .js, .mjs, .cjs, .ts, .mts or .cts, and no page with one."
        raise FileError(next(iter(folder.faults.values()), none))
    there = [target for target in folder.targets.values() if target.exists()]
    if there and not force:
        what = f"{there[0]} and {len(there) - 1} more already exist" if len(there) > 1 else f"{there[0]} already exists"
        raise FileError(f"{what}; --force overwrites {'them' if len(there) > 1 else 'it'}.")


def _read(folder: _Folder) -> Project:
    """The scripts of a folder, linked by their imports."""
    from tfpy.js2py.project.project import Project

    project = Project()
    for path, source in folder.sources.items():
        with folder.noting(path):
            project.add(folder.name(path), source)
    project.link()
    return project


def _convert(folder: _Folder, project: Project, path: Path, target: Path) -> None:
    found = project.convert(folder.name(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{target.parent} cannot be created: {error.strerror or error}") from None
    write_script(target, found.code)
    folder.notes += found.notes
    say_notes(path, found.notes)
    say(f"{path}: written to {target}; {counts(found.notes)}")


def _sum_up(folder: _Folder) -> None:
    """Report what cannot be converted, what is left out, and how much is left to do."""
    for fault in folder.faults.values():
        say(fault)
    if folder.left_out:
        named = ", ".join(str(path) for path in folder.left_out[:_NAMED])
        more = len(folder.left_out) - _NAMED
        say(f"Left out: {named}{f' and {more} more' if more > 0 else ''}.")
    written = sum(path not in folder.faults for path in folder.targets)
    say(f"Files written: {written}; with errors: {len(folder.faults)}.")
    say(summary(folder.notes, bool(folder.faults)))
