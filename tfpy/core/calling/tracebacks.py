"""Tracebacks in IPython and notebooks, which show five lines of each function: tfpy's own frames are hidden."""

from __future__ import annotations

import builtins

from tfpy.engine.package import PACKAGE


def hide_own_lines(error: BaseException) -> None:
    """Mark the frames of tfpy in an error's traceback, which IPython then hides; scripts are not affected.

    The frame that raised the error is always shown.
    """
    if not hasattr(builtins, "__IPYTHON__"):
        return
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename.startswith(PACKAGE):
            step.tb_frame.f_locals["__tracebackhide__"] = True
        step = step.tb_next
