"""A hook of mkdocs: everything that code on the pages writes to standard output is shown.

markdown-exec shows only a block's own `print`; `tensor.print()`, `model.summary()` and `model.fit(…)` print, too.
"""

from __future__ import annotations

import contextlib
import io
from typing import Any

from markdown_exec._internal.formatters import python as formatter


def on_startup(**_: Any) -> None:
    """Collect all output of a block in one place, in order."""
    run = formatter._run_python

    def run_and_catch(code: str, **options: Any) -> str:
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            run(code, **options)
        return shown.getvalue()

    formatter._buffer_print = lambda buffer, *texts, **options: print(*texts, **options)
    formatter._run_python = run_and_catch  # type: ignore[assignment]
