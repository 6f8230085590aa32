"""What a task reads: its input, computed in the task's own shader if it is elementwise and still to do."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.engine.gl import templates
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import ensure, outputs, settle_all, trace_of, wanted
from tfpy.engine.gl.pool import Buffer
from tfpy.engine.gl.programs import Program, parameters
from tfpy.engine.gl.templates import Fused
from tfpy.engine.gl.value import WIDTH, Node


class Prologue:
    """The elements of a node's first input, each of which the shader asks for once.

    The shader calls `read(i)`. Its own parameters are the first `own_words` ones. The buffers are those of the leaves,
    then the shader's own output (`out_binding`), then those of values that somebody still needs besides.
    """

    def __init__(self, device: Device, node: Node, own_words: int) -> None:
        self._device = device
        self._own_words = own_words
        # The input is held in no variable here: who still needs it is found out by counting references.
        self._trace, step = trace_of(device, node.inputs[0], False, node)
        self._extras = wanted(device, self._trace, None)
        spec = node.inputs[0].spec
        self.dtype = spec.dtype
        self._size = spec.size
        self.fused = Fused(tuple(self._trace.steps), outputs(self._trace, step, spec, self._extras))
        self.out_binding = len(self._trace.leaves)

    def source(self) -> str:
        """The parameters, the buffers that are read and written besides, and the function `read`."""
        text = parameters(self._own_words + len(self._trace.words))
        return text + templates.reader("read", self.fused, self._own_words, 0, self.out_binding)

    def dispatch(self, program: Program, out: Buffer, words: Sequence[int], groups: int, layers: int = 1) -> None:
        """Run the task's shader; what somebody still needs is there then, too."""
        leases = [self._device.take(self._size * WIDTH[dtype]) for _, dtype in self.fused.outputs[1:]]
        reads = [ensure(self._device, leaf).buffer for leaf in self._trace.leaves]
        writes = [out, *(lease.buffer for lease in leases)]
        self._device.dispatch(program, reads, writes, (*words, *self._trace.words), groups, layers)
        for step, lease in zip(self._extras, leases, strict=True):
            settle_all(self._trace, step, lease)
