"""Compiled shaders by key. Keys do not contain shapes, so a process needs hundreds of programs, not thousands."""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from tfpy.engine.gl.glsl import functions_for

_packers: dict[int, struct.Struct] = {}


class Program:
    """A compute shader with one parameter block, `uniform uvec4 P[…]`.

    Attributes:
        run: dispatches groups along three axes.
        write: sets the parameter block from bytes; None if the shader has no parameters.
        size: the bytes of the block that the shader reads: drivers truncate the rest.
        words: the current parameters.
    """

    __slots__ = ("gl", "run", "size", "words", "write")

    def __init__(self, gl: Any) -> None:
        self.gl = gl
        self.run: Callable[[int, int, int], None] = gl.mglo.run
        block = gl.get("P", None)
        self.write: Callable[[bytes], None] | None = None if block is None else block.write
        self.size = 0 if block is None else 16 * block.array_length
        self.words: Sequence[int] | None = None

    def set(self, words: Sequence[int]) -> None:
        """Set the parameters."""
        packed = self.packed(words)
        self.words = words  # first, since Ctrl-C may interrupt after the call
        if self.write is not None:
            self.write(packed)

    def packed(self, words: Sequence[int]) -> bytes:
        """Parameters as the bytes of the block."""
        count = len(words)
        packer = _packers.get(count)
        if packer is None:
            packer = _packers[count] = struct.Struct(f"{count}I{-count % 4 * 4}x")
        return packer.pack(*words)[: self.size]


class Programs:
    """The programs of one device."""

    def __init__(self, compile: Callable[[str], Any], exact_division: bool) -> None:
        self._compile = compile
        self._exact_division = exact_division
        self._programs: dict[Hashable, Program] = {}

    def __len__(self) -> int:
        return len(self._programs)

    def get(self, key: Hashable, source: Callable[..., str], *arguments: Any) -> Program:
        """The program with this key, compiled from `source(*arguments)` on first use."""
        program = self._programs.get(key)
        if program is None:
            program = self._programs[key] = self.compile(source(*arguments))
        return program

    def compile(self, body: str) -> Program:
        """A program from a shader's source without its version line and library functions."""
        text = "#version 430\n" + functions_for(body, self._exact_division) + body
        try:
            return Program(self._compile(text))
        except RuntimeError:  # from another thread
            raise
        except Exception as error:  # moderngl raises a bare Error, with the driver's log
            raise RuntimeError(f"webgl: a shader did not compile: {error}\n{text}") from None


def parameters(count: int) -> str:
    """The declaration of `count` 32-bit parameters, read through `word`."""
    return f"uniform uvec4 P[{-(-count // 4)}];\n" if count else ""


def word(index: int, dtype: str = "uint") -> str:
    """The GLSL expression of a parameter as an unsigned or signed number, a float or a boolean."""
    text = f"P[{index >> 2}].{'xyzw'[index & 3]}"
    return {
        "uint": text,
        "int32": f"int({text})",
        "float32": f"uintBitsToFloat({text})",
        "bool": f"({text} != 0u)",
    }[dtype]
