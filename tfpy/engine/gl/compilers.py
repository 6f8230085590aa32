"""How far the shader compiler of a GPU's vendor can be trusted with registers.

Found by compiling with Mesa for GPUs of Intel and AMD (docs/explanation/measured-gpu.md).
"""

from __future__ import annotations

from typing import NamedTuple


class Compiler(NamedTuple):
    """What can be left to it.

    Attributes:
        many_registers: a thread has registers for a block of 8 x 8 sums, or for as many numbers that are read ahead.
        unrolled_steps: so many steps of a loop may be unrolled: it does not load the numbers for all of them first.
    """

    many_registers: bool
    unrolled_steps: int


_AMD = ("AMD", "ATI")


def compiler_of(vendor: str, software: bool) -> Compiler:
    """The compiler of a vendor, given as OpenGL reports it; unknown ones are treated like Intel's."""
    if software or vendor.startswith("NVIDIA"):
        return Compiler(many_registers=True, unrolled_steps=32)
    return Compiler(many_registers=False, unrolled_steps=4 if vendor.startswith(_AMD) else 16)
