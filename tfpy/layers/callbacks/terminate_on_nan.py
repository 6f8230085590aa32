"""TerminateOnNaN: ends training when the loss is NaN or infinite."""

from __future__ import annotations

import math

from tfpy.core.calling.registry import export
from tfpy.core.types import Logs
from tfpy.engine.printable import put
from tfpy.layers.callbacks.base import Callback


@export(doc="Callbacks", aliases="callbacks.terminate_on_nan")
class TerminateOnNaN(Callback):
    """Ends training after a batch whose loss is NaN or infinite.

    Source: Keras `TerminateOnNaN` (beyond TF.js).
    """

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        loss = (logs or {}).get("loss")
        if loss is not None and not math.isfinite(loss) and self.model is not None:
            put(f"Batch {batch}: the loss is {loss}; training ends.")
            self.model.stop_training = True
