"""How far the shader compiler of a GPU's vendor can be trusted with registers.

Found by compiling with Mesa for GPUs of Intel and AMD (docs/explanation/measured-gpu.md).
"""

from __future__ import annotations

from typing import NamedTuple


class Compiler(NamedTuple):
    """What can be left to it.

    Attributes:
        many_registers: a thread has registers for a block of 8 x 8 sums.
        unrolls: a loop of sixteen steps may be unrolled: it does not load the numbers for all of them first.
    """

    many_registers: bool
    unrolls: bool


_AMD = ("AMD", "ATI")


def compiler_of(vendor: str, software: bool) -> Compiler:
    """The compiler of a vendor, given as OpenGL reports it; unknown ones are treated like Intel's."""
    return Compiler(many_registers=software or vendor.startswith("NVIDIA"), unrolls=not vendor.startswith(_AMD))
