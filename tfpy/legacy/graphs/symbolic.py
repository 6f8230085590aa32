"""What graphs consist of: symbolic tensors, and the nodes that output them."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tfpy.core.naming.hints import add_absent, without_absent
from tfpy.engine.arguments import as_shape
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle
from tfpy.engine.scope import outlive_scopes
from tfpy.engine.spec import Shape
from tfpy.legacy.arrays.create import ArrayFactories
from tfpy.legacy.arrays.ndarray import NDArray, shared
from tfpy.legacy.graphs.nodes import Evaluate

if TYPE_CHECKING:
    from tfpy.legacy.graphs.graph import Graph

_next_id = itertools.count().__next__


class Tensor:
    """A symbolic tensor: the output of a node of a graph. It has a shape and no values.

    Attributes:
        shape: the size of each dimension, for one example.
        id: a sequential number; inputs have lower numbers than their results.
        node: the node that outputs it.
        dtype: the dtype of its values.

    Source: deeplearn.js `Tensor` (up to 0.4; `SymbolicTensor` in 0.5).
    """

    def __init__(self, shape: Sequence[int], dtype: DType = "float32") -> None:
        self.shape: Shape = as_shape("Tensor", shape)
        self.dtype = dtype
        self.id = _next_id()
        self._node: Node | None = None

    @property
    def node(self) -> Node:
        if self._node is None:
            raise RuntimeError(
                f"{self!r} belongs to no graph; methods of a graph return symbolic tensors, and dl.NDArray.new arrays"
            )
        return self._node

    @node.setter
    def node(self, node: Node) -> None:
        self._node = node

    @property
    def graph(self) -> Graph | None:
        """The graph that it belongs to; None if no method of a graph has returned it."""
        return None if self._node is None else self._node.graph

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError(
            f"{self!r} has no values: it belongs to a graph. session.eval(tensor, feeds) computes them, and the "
            "graph's own methods compute with it. (In the new API tensors have values from the start.)"
        )

    def __repr__(self) -> str:
        node = "" if self._node is None else f", node={self._node.name!r}"
        return f"dl.Tensor(id={self.id}, shape={list(self.shape)}{node})"

    def __dir__(self) -> list[str]:
        return without_absent(super().__dir__(), type(self))


# In 0.5 `dl.Tensor` is the class of arrays.
add_absent(Tensor, {name: f"dl.NDArray.{name}" for name in dir(ArrayFactories) if not name.startswith("_")})


class Node:
    """A node of a graph.

    Attributes:
        graph: the graph that it belongs to.
        name: the kind of node, or the name of a variable or placeholder.
        inputs: its inputs by name.
        output: its output.
        evaluate: computes its op; None for variables, placeholders and constants.
        attrs: the op's further arguments.
        data: the array of a variable or constant, which may be set to another one of its shape. Scopes do not dispose
            it.
        trainable: whether it is a variable.
        id: a sequential number.
    """

    def __init__(
        self,
        graph: Graph,
        name: str,
        inputs: Mapping[str, Tensor],
        output: Tensor,
        evaluate: Evaluate | None = None,
        attrs: Mapping[str, Any] | None = None,
        data: Handle | None = None,
        trainable: bool = False,
    ) -> None:
        self.graph = graph
        self.name = name
        self.inputs = dict(inputs)
        self.output = output
        self.evaluate = evaluate
        self.attrs = dict(attrs or {})
        output.node = self
        self.data = data
        self.trainable = trainable
        self.id = _next_id()

    @property
    def data(self) -> NDArray | None:
        return self._data

    @data.setter
    def data(self, data: Handle | None) -> None:
        if data is None:
            self._data: NDArray | None = None
            return
        if not isinstance(data, Handle):
            raise argument_error("Node", "data", f"an NDArray for {self.name!r}", data, TypeError)
        if data.spec.shape != self.output.shape:
            raise argument_error("Node", "data", f"of shape {list(self.output.shape)} for {self.name!r}", data)
        self._data = outlive_scopes(data if isinstance(data, NDArray) else shared(data))

    @property
    def is_placeholder(self) -> bool:
        """Whether a session must be fed a value for it."""
        return self.evaluate is None and self.data is None

    def __repr__(self) -> str:
        return f"dl.Node({self.name!r}, {', '.join(self.inputs)})"
