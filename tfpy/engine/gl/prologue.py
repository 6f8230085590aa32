"""The input of a task, computed in the task's own shader if it is elementwise and deferred."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.engine.gl import templates
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import buffers, prepare
from tfpy.engine.gl.memory_pool import Buffer
from tfpy.engine.gl.programs import Program, parameters
from tfpy.engine.gl.value import Value


class Prologue:
    """The elements of the first input of a value with a task, each of which the shader reads once.

    The shader calls `read(i)`. Its own parameters are the first `own_words` ones. The buffers are those of the leaves,
    then the shader's own output (`out_binding`), those of other values that are still needed, and the shader's own
    further ones (`further_binding`).
    """

    def __init__(self, device: Device, value: Value, own_words: int) -> None:
        self._device = device
        self._own_words = own_words
        self._recipe, self._values, self._extras = prepare(device, value.inputs, False)
        self.fused = self._recipe.fused(self._extras)
        self.dtype = self._values[0].spec.dtype
        self.out_binding = len(self._recipe.leaves)
        self.further_binding = self.out_binding + len(self.fused.outputs)

    def source(self) -> str:
        """The parameters, the additional buffers that are read and written, and the function `read`."""
        text = parameters(self._own_words + self._recipe.count)
        return text + templates.reader("read", self.fused, self._own_words, 0, self.out_binding)

    def dispatch(
        self,
        program: Program,
        out: Buffer,
        words: Sequence[int],
        groups: int,
        layers: int = 1,
        further: Sequence[Buffer] = (),
    ) -> None:
        """Run the task's shader, and store the other values that are still needed."""
        device, recipe, values = self._device, self._recipe, self._values
        leases = [device.take(values[0].spec.size * width) for width in self.fused.widths[1:]]
        reads = buffers(device, recipe, values)
        writes = [out, *[lease.buffer for lease in leases], *further]
        device.dispatch(program, reads, writes, (*words, *recipe.words(values)), groups, layers)
        if leases:
            recipe.settle(values, self._extras, leases)
