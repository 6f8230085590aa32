"""The values of an NDArray: on the backend, and on the host once they are read or written one by one.

Tensors are immutable and share data freely; NDArrays can be written to. The host mirror reconciles the two. The first
write makes a private copy of the values; further writes change that copy in place. When an op next needs the array,
the copy is sent to the backend as new data, so no tensor that shared the old data ever sees a change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.handle import Handle, check_live, leave_share

# The slot hidden by the property below.
_stored: Any = Handle.__dict__["payload"]


class HostCached(Handle):
    """A handle whose values may also be kept on the host.

    Attributes:
        _host: the values as a flat array, or None.
        _private: whether `_host` is this array's own writable copy, and not a view of shared data.
        _exposed: whether the user holds `_host` and may write to it at any time.
        _fresh: whether the backend has the latest values.
    """

    __slots__ = ("_exposed", "_fresh", "_host", "_private")

    _host: Array | None
    _private: bool
    _exposed: bool
    _fresh: bool

    def __new__(cls, *args: Any, **keywords: Any) -> Any:
        self = object.__new__(cls)
        self._host = None
        self._private = self._exposed = False
        self._fresh = True
        return self

    @property
    def payload(self) -> Any:
        """The data on the backend, uploaded first if it was changed on the host."""
        if not self._fresh:
            assert self._host is not None
            assert self.backend is not None
            leave_share(self)
            values = self._host.reshape(self.spec.shape)
            _stored.__set__(self, self.backend.write(values, self.spec.dtype))
            self._fresh = not self._exposed
        return _stored.__get__(self)

    @payload.setter
    def payload(self, payload: Any) -> None:
        _stored.__set__(self, payload)
        if payload is None:  # disposed
            self._private = self._exposed = False
        if not self._private:
            self._host = None
        self._fresh = not self._exposed

    @property
    def written(self) -> bool:
        """Whether values have been written into this array, and may be again."""
        return self._private

    def host_values(self, op: str) -> Array:
        """The values as a flat, read-only array."""
        check_live(self, op)
        if self._host is None:
            assert self.backend is not None
            self._host = self.backend.read(self.payload, self.spec.dtype).reshape(-1)
        return self._host

    def writable_values(self, op: str) -> Array:
        """The values as this NDArray's own flat array, for the caller to write to."""
        values = self.host_values(op)
        if not self._private:
            values = self._host = np.array(values)
            self._private = True
        if self._fresh:
            self._fresh = False
            leave_share(self)
            _stored.__set__(self, None)
        return values

    def exposed_values(self, op: str) -> Array:
        """As `writable_values`, but the user may keep the array and write to it later."""
        self._exposed = True
        return self.writable_values(op)
