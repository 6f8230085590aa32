"""Graph: deeplearn.js's deferred computations. Its methods check shapes and return symbolic tensors; sessions compute.

A node stores its op's evaluation function (`nodes.py`) and attributes. The shape of its output is inferred by running
the op in the engine's shape-only mode, so that the graph accepts exactly what the ops accept.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfpy.core.calling.options import accepts_options
from tfpy.core.ops.activation import leaky_relu
from tfpy.core.tensor import Tensor as CoreTensor
from tfpy.engine.abstract import placeholder, shapes_only
from tfpy.engine.arguments import as_int, as_positive, as_shape
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle
from tfpy.engine.spec import Shape, spec
from tfpy.legacy._graph import DerivedGraph
from tfpy.legacy.arrays.create import new_array
from tfpy.legacy.arrays.ndarray import NDArray
from tfpy.legacy.graphs import nodes
from tfpy.legacy.graphs._camel import GraphCamel
from tfpy.legacy.graphs.initializers import Initializer, VarianceScalingInitializer, ZerosInitializer
from tfpy.legacy.graphs.nodes import Evaluate, Value
from tfpy.legacy.graphs.symbolic import Node, Tensor
from tfpy.legacy.helpers.conv_util import compute_default_pad, compute_output_shape3d
from tfpy.legacy.helpers.util import infer_shape


class Graph(DerivedGraph, GraphCamel):
    """A graph of ops. Source: deeplearn.js `Graph`.

    Attributes:
        layers: neural network layers that consist of several nodes.
    """

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self.layers = GraphLayers(self)

    def __repr__(self) -> str:
        return f"dl.Graph({len(self._nodes)} nodes)"

    def get_nodes(self) -> list[Node]:
        """All nodes in the order in which they were added."""
        return self._nodes

    # Inputs

    def variable(self, name: str, data: Handle) -> Tensor:
        """A value that training changes.

        Args:
            name: its name.
            data: its initial value; the graph keeps it alive, regardless of the scope it was created in.

        Raises:
            TypeError: not an array.
        """
        if not isinstance(data, Handle):
            raise argument_error("variable", "data", "an NDArray", data, TypeError)
        return self._input(name, data, trainable=True)

    def placeholder(self, name: str, shape: Sequence[int]) -> Tensor:
        """A value that is fed to sessions.

        Args:
            name: its name, which errors mention.
            shape: the shape of one example.
        """
        return self._register(Node(self, name, {}, Tensor(as_shape("placeholder", shape))))

    def constant(self, value: Any) -> Tensor:
        """A value that never changes: a number, a nested list, or an array."""
        if value is None:
            raise argument_error("constant", "value", "a number, a list of numbers or an array", value, TypeError)
        if not isinstance(value, Handle):
            value = new_array(NDArray, "constant", _nested_shape(value), value, "float32")
        return self._input("Constant", value, trainable=False)

    def _input(self, name: str, data: Handle, trainable: bool) -> Tensor:
        output = Tensor(data.spec.shape, data.spec.dtype)
        return self._register(Node(self, name, {}, output, data=data, trainable=trainable))

    # Arithmetic

    def add(self, x1: Tensor, x2: Tensor) -> Tensor:
        """x1 + x2, of the same shape, one with a single element, or a matrix and a vector added to each row."""
        shapes = sorted([self._own("add", "x1", x1).shape, self._own("add", "x2", x2).shape], key=len)
        rows = [len(s) for s in shapes] == [1, 2] and shapes[0][0] == shapes[1][1]
        if not rows:
            self._check_pair("add", x1, x2)
        return self._add("Add", nodes.add, {"x1": x1, "x2": x2})

    def subtract(self, x1: Tensor, x2: Tensor) -> Tensor:
        """x1 - x2, of the same shape, or one with a single element."""
        self._check_pair("subtract", x1, x2)
        return self._add("Subtract", nodes.subtract, {"x1": x1, "x2": x2})

    def multiply(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The elementwise product x1 · x2, of the same shape, or one with a single element."""
        self._check_pair("multiply", x1, x2)
        return self._add("Multiply", nodes.multiply, {"x1": x1, "x2": x2})

    def divide(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The elementwise quotient x1 / x2, of the same shape, or one with a single element."""
        self._check_pair("divide", x1, x2)
        return self._add("Divide", nodes.divide, {"x1": x1, "x2": x2})

    def fused_linear_combination(self, x1: Tensor, x2: Tensor, c1: Tensor, c2: Tensor) -> Tensor:
        """c1 · x1 + c2 · x2 for Scalars c1 and c2."""
        name = "fused_linear_combination"
        self._check_same(name, "x2", x1, x2)
        for argument, c in (("c1", c1), ("c2", c2)):
            if self._own(name, argument, c).shape != ():
                raise argument_error(name, argument, "a Scalar", c)
        inputs = {"x1": x1, "x2": x2, "c1": c1, "c2": c2}
        return self._add("Linear Combination", nodes.fused_linear_combination, inputs)

    @accepts_options()
    def leaky_relu(self, x: Tensor, alpha: float | None = None) -> Tensor:
        """x where it is positive, else alpha · x; alpha defaults to 0.2."""
        return self._elementwise("leakyRelu", leaky_relu, x, **({} if alpha is None else {"alpha": alpha}))

    def prelu(self, x: Tensor, alpha: Tensor) -> Tensor:
        """x where it is positive, else alpha · x; alpha has x's shape."""
        self._check_same("prelu", "alpha", x, alpha)
        return self._add("PReLU", nodes.prelu, {"x": x, "alpha": alpha})

    def reduce_sum(self, x: Tensor) -> Tensor:
        """The sum of all elements."""
        return self._add("ReduceSum", nodes.reduce_sum, {"x": x})

    def matmul(self, x1: Tensor, x2: Tensor) -> Tensor:
        """The product of two matrices, a matrix and a vector, or a vector and a matrix."""
        a, b = self._own("matmul", "x1", x1).shape, self._own("matmul", "x2", x2).shape
        if (len(a), len(b)) not in ((2, 2), (2, 1), (1, 2)):
            raise argument_error("matmul", "x2", f"a matrix, or 'x1' must be (shapes {list(a)} and {list(b)})", x2)
        if a[-1] != b[0]:
            raise argument_error("matmul", "x2", f"of first size {a[-1]}, the last of 'x1'", x2)
        return self._add("MatMul", nodes.matmul, {"x1": x1, "x2": x2})

    # Shapes

    def reshape(self, x: Tensor, shape: Sequence[int]) -> Tensor:
        """The elements in another shape."""
        sizes = as_shape("reshape", shape)
        return self._add("Reshape", nodes.reshape, {"x": x}, {"shape": sizes})

    def concat1d(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Two vectors concatenated."""
        return self._concat("concat1d", 1, x1, x2, 0)

    def concat2d(self, x1: Tensor, x2: Tensor, axis: int) -> Tensor:
        """Two matrices concatenated along an axis."""
        return self._concat("concat2d", 2, x1, x2, axis)

    def concat3d(self, x1: Tensor, x2: Tensor, axis: int) -> Tensor:
        """Two tensors of rank 3 concatenated along an axis."""
        return self._concat("concat3d", 3, x1, x2, axis)

    def concat4d(self, x1: Tensor, x2: Tensor, axis: int) -> Tensor:
        """Two tensors of rank 4 concatenated along an axis."""
        return self._concat("concat4d", 4, x1, x2, axis)

    def _concat(self, name: str, rank: int, x1: Tensor, x2: Tensor, axis: int) -> Tensor:
        for argument, x in (("x1", x1), ("x2", x2)):
            if len(self._own(name, argument, x).shape) != rank:
                raise argument_error(name, argument, f"of rank {rank}", x)
        if not 0 <= as_int(name, "axis", axis) < rank:
            raise argument_error(name, "axis", f"an axis from 0 to {rank - 1}", axis)
        return self._add(f"Concat{rank}D", nodes.concat, {"x1": x1, "x2": x2}, {"axis": axis})

    # Images

    @accepts_options()
    def conv2d(
        self,
        x: Tensor,
        w: Tensor,
        b: Tensor,
        field_size: int,
        output_depth: int,
        stride: int = 1,
        zero_pad: int | None = None,
    ) -> Tensor:
        """The convolution of an image with a square filter, plus a bias.

        Args:
            x: [height, width, channels].
            w: [field size, field size, channels, output depth].
            b: [output depth].
            field_size: the height and width of the filter.
            output_depth: the number of filters.
            stride: the distance between windows.
            zero_pad: the margin of zeros; by default one that keeps the height (see `computeDefaultPad`).

        Raises:
            ValueError: shapes that do not fit, or a fractional output size.
        """
        shape = self._own("conv2d", "x", x).shape
        if len(shape) != 3:
            raise argument_error("conv2d", "x", "of rank 3", x)
        field_size = as_positive("conv2d", "field_size", field_size)
        output_depth = as_positive("conv2d", "output_depth", output_depth)
        wanted = (field_size, field_size, shape[2], output_depth)
        if self._own("conv2d", "w", w).shape != wanted:
            raise argument_error("conv2d", "w", f"of shape {list(wanted)}", w)
        if self._own("conv2d", "b", b).shape != (output_depth,):
            raise argument_error("conv2d", "b", f"of shape {[output_depth]}", b)
        stride = as_positive("conv2d", "stride", stride)
        attrs = {"stride": stride, "pad": _pad("conv2d", shape, field_size, stride, zero_pad)}
        return self._add("Convolution 2D", nodes.conv2d, {"x": x, "w": w, "b": b}, attrs)

    @accepts_options()
    def max_pool(self, x: Tensor, field_size: int, stride: int = 1, zero_pad: int | None = None) -> Tensor:
        """The largest value in each square window of an image; arguments as for `conv2d`."""
        shape = self._own("max_pool", "x", x).shape
        if len(shape) != 3:
            raise argument_error("max_pool", "x", "of rank 3", x)
        field_size = as_positive("max_pool", "field_size", field_size)
        stride = as_positive("max_pool", "stride", stride)
        attrs = {
            "field_size": field_size,
            "stride": stride,
            "pad": _pad("max_pool", shape, field_size, stride, zero_pad),
        }
        return self._add("Max pool", nodes.max_pool, {"x": x}, attrs)

    # Classification and costs

    def softmax(self, x: Tensor) -> Tensor:
        """The softmax of a vector of at least two elements."""
        shape = self._own("softmax", "x", x).shape
        if len(shape) != 1 or shape[0] < 2:
            raise argument_error("softmax", "x", "a vector of at least two elements", x)
        return self._add("Softmax", nodes.softmax, {"x": x})

    def softmax_cross_entropy_cost(self, x: Tensor, target: Tensor) -> Tensor:
        """The cross entropy of a target and the softmax of x."""
        self._check_same("softmax_cross_entropy_cost", "target", x, target)
        inputs = {"x": x, "target": target}
        return self._add("SoftmaxCrossEntropyCost", nodes.softmax_cross_entropy_cost, inputs)

    def mean_squared_cost(self, label: Tensor, prediction: Tensor) -> Tensor:
        """½ · mean((label - prediction)²)."""
        self._check_same("mean_squared_cost", "prediction", label, prediction)
        inputs = {"label": label, "prediction": prediction}
        return self._add("Mean Squared Cost", nodes.mean_squared_cost, inputs)

    def argmax(self, x: Tensor) -> Tensor:
        """The index of the largest element; its declared shape is [1], its value is a Scalar."""
        if 0 in self._own("argmax", "x", x).shape:
            raise argument_error("argmax", "x", "of at least one element", x)
        return self._add("ArgMax", nodes.argmax, {"x": x}, shape=(1,))

    def argmax_equals(self, x1: Tensor, x2: Tensor) -> Tensor:
        """Whether the largest elements are at the same position; its declared shape is [1], its value is a Scalar."""
        self._check_same("argmax_equals", "x2", x1, x2)
        return self._add("ArgMaxEquals", nodes.argmax_equals, {"x1": x1, "x2": x2}, shape=(1,))

    # Shared by the methods

    def _elementwise(self, name: str, function: Callable[..., CoreTensor], x: Tensor, **attrs: Any) -> Tensor:
        return self._add(name, nodes.elementwise(function), {"x": x}, attrs)

    def _add(
        self,
        name: str,
        evaluate: Evaluate,
        inputs: Mapping[str, Tensor],
        attrs: Mapping[str, Any] | None = None,
        shape: Shape | None = None,
    ) -> Tensor:
        """A new node; the shape of its output follows from its op, unless it is declared."""
        with shapes_only():
            values = [_symbol(self._own(name, argument, x)) for argument, x in inputs.items()]
            found = evaluate(*values, **(attrs or {})).tensor
        output = Tensor(found.shape if shape is None else shape, found.dtype)
        return self._register(Node(self, name, inputs, output, evaluate, attrs))

    def _register(self, node: Node) -> Tensor:
        self._nodes.append(node)
        return node.output

    def add_node_and_return_output(self, node: Node) -> Tensor:
        """Add a node that was created by the caller."""
        if not isinstance(node, Node) or node.graph is not self:
            raise argument_error("add_node_and_return_output", "node", "a node of this graph", node, TypeError)
        return self._register(node)

    def _own(self, op: str, argument: str, x: Any) -> Tensor:
        """A symbolic tensor of this graph."""
        if not isinstance(x, Tensor):
            hint = "; convert an array with graph.constant or graph.placeholder" if isinstance(x, Handle) else ""
            raise argument_error(op, argument, f"a symbolic tensor of this graph{hint}", x, TypeError)
        if x.graph is not self:
            owner = "none; methods of a graph return such tensors" if x.graph is None else "another one"
            raise argument_error(op, argument, f"a symbolic tensor of this graph; it belongs to {owner}", x)
        return x

    def _check_same(self, op: str, argument: str, a: Tensor, b: Tensor) -> None:
        shape = self._own(op, "x", a).shape
        if self._own(op, argument, b).shape != shape:
            raise argument_error(op, argument, f"of shape {list(shape)}, that of the other argument", b)

    def _check_pair(self, op: str, x1: Tensor, x2: Tensor) -> None:
        a, b = self._own(op, "x1", x1).shape, self._own(op, "x2", x2).shape
        if a != b and spec(a, "float32").size != 1 and spec(b, "float32").size != 1:
            raise argument_error(op, "x2", f"of shape {list(a)}, that of 'x1', or of one element", x2)


def _symbol(x: Tensor) -> Value:
    return Value(placeholder(CoreTensor, spec(x.shape, x.dtype)), False)


def _nested_shape(value: Any) -> Shape:
    """The shape of a number, an array or a nested list."""
    return tuple(value.shape if hasattr(value, "shape") else infer_shape(value))


def _pad(op: str, shape: Shape, field_size: int, stride: int, zero_pad: int | None) -> int:
    """The padding, checked to yield integer sizes."""
    pad = compute_default_pad(shape, field_size, stride) if zero_pad is None else as_int(op, "zero_pad", zero_pad)
    compute_output_shape3d(shape, field_size, 1, stride, pad)
    return pad


class GraphLayers:
    """Layers that consist of several nodes: `graph.layers`. Source: deeplearn.js `GraphLayers`."""

    def __init__(self, g: Graph) -> None:
        self.g = g

    @accepts_options()
    def dense(
        self,
        name: str,
        x: Tensor,
        units: int,
        activation: Callable[[Tensor], Tensor] | None = None,
        use_bias: bool = True,
        kernel_initializer: Initializer | None = None,
        bias_initializer: Initializer | None = None,
    ) -> Tensor:
        """A fully connected layer: activation(x · weights + bias).

        Args:
            name: the variables are called name-weights and name-bias.
            x: a vector.
            units: the size of the output.
            activation: a function of a symbolic tensor, such as `graph.relu`.
            use_bias: whether there is a bias.
            kernel_initializer: VarianceScalingInitializer() by default.
            bias_initializer: ZerosInitializer() by default.
        """
        inputs = self.g._own("dense", "x", x).shape
        if len(inputs) != 1:
            raise argument_error("dense", "x", "of rank 1", x)
        if activation is not None and not callable(activation):
            raise argument_error("dense", "activation", "a function of a symbolic tensor", activation, TypeError)
        count = as_int("dense", "units", units)
        kernel = _initializer("kernel_initializer", kernel_initializer, VarianceScalingInitializer)
        starting = _initializer("bias_initializer", bias_initializer, ZerosInitializer) if use_bias else None
        weights = self.g.variable(f"{name}-weights", kernel.initialize([inputs[0], count], inputs[0], count))
        out = self.g.matmul(x, weights)
        if starting is not None:
            bias = self.g.variable(f"{name}-bias", starting.initialize([count], inputs[0], count))
            out = self.g.add(out, bias)
        if activation is None:
            return out
        result = activation(out)
        if not isinstance(result, Tensor):
            raise argument_error("dense", "activation", "a function that returns a symbolic tensor", result, TypeError)
        return result


def _initializer(argument: str, given: Initializer | None, usual: Callable[[], Initializer]) -> Initializer:
    if given is None:
        return usual()
    if not hasattr(given, "initialize"):
        raise argument_error("dense", argument, "an initializer", given, TypeError)
    return given
