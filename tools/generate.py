"""Writes the generated source of the package; with `--check` it only reports whether it is up to date.

    python tools/generate.py [--check]

Generated: the chained methods of Tensor, the TF.js spellings of methods (`_camel.py` next to the classes), the
factories of optimizers, the public faces (`tfpy/__init__.py` and `tfpy/_api/`), the legacy faces, the pages of the API
reference. The package is not imported, except for the pages of names, which come last.
See docs/explanation/architecture.md.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import constructor_factories
import legacy
from camel_mixins import camel_mixins
from declared_factories import factories_in
from faces import faces
from reference import reference_pages
from source import PACKAGE, ROOT, Public, camel, modules, parse_module, public_in
from tensor_methods import tensor_methods
from tfjs_coverage import coverage_page


def generated() -> dict[Path, str]:
    """Every generated file and its content."""
    exporting = [
        m for folder in ("core", "data", "datasets", "distribute", "graph", "layers", "vis") for m in modules(folder)
    ]
    optimizers = constructor_factories.factories(list(modules("core/optimizers")))
    exporting.append(parse_module(constructor_factories.PATH, optimizers))
    public = [p for m in exporting for p in public_in(m)]
    _refuse_doubles(public)
    files = {PACKAGE / "core/_methods.py": tensor_methods(public), constructor_factories.PATH: optimizers}
    files |= camel_mixins([*exporting, *modules("legacy")])
    factories = factories_in(list(modules("layers")))
    files |= faces(public, factories)
    files |= legacy.generated(public)
    sources = {path: formatted(text, path) for path, text in files.items()}
    return sources | reference_pages(public, factories, camel) | coverage_page(public, factories, camel)


def _refuse_doubles(public: list[Public]) -> None:
    seen: dict[tuple[str, str], Public] = {}
    for p in public:
        other = seen.setdefault((p.namespace, p.name), p)
        if other is not p:
            raise SystemExit(f"{p.namespace}.{p.name} is defined in {other.module.name} and in {p.module.name}.")


def formatted(text: str, path: Path) -> str:
    """The text after formatting."""
    for command in (["check", "--fix-only", "--select", "I,F401", "--quiet"], ["format"]):
        result = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"],
            input=text,
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )
        if result.returncode and not result.stdout:
            raise SystemExit(f"{path}: {result.stderr}\n{text}")
        text = result.stdout
    return text


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    stale = update(generated(), check)
    # These import the package, and so the files written above.
    from legacy_coverage import legacy_page
    from names import names_page

    stale |= update(names_page() | legacy_page(), check)
    return 1 if check and stale else 0


def update(files: dict[Path, str], check: bool) -> bool:
    """Write the files that are out of date, or only list them. Returns whether there are any."""
    stale = [path for path, text in files.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(("stale: " if check else "written: ") + str(path.relative_to(ROOT)))
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], encoding="utf-8")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
