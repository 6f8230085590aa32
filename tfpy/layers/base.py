"""Layer: declared options, building weights, being called on tensors and on symbolic tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Never, Self

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.registry import export
from tfpy.core.calling.tracebacks import hide_own_lines
from tfpy.core.naming.elsewhere import OF_LAYERS
from tfpy.core.tensor import Tensor
from tfpy.core.variable import value_of
from tfpy.engine import handle
from tfpy.engine.arguments import array_as_list, as_ints
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error, show
from tfpy.engine.state import local
from tfpy.layers._camel import LayerCamel
from tfpy.layers.activations import get_activation
from tfpy.layers.added_losses import AddedLoss, add_activity_losses, add_from_call, as_functions
from tfpy.layers.calling import add_layer_note, are_symbolic, as_tensors, call_layer, check_keywords, taking_a_dict
from tfpy.layers.constraints import Constraint
from tfpy.layers.copying import Copyable
from tfpy.layers.declared import Declared, DeclaredSignature, declared_in, known_only
from tfpy.layers.initializers import Initializer
from tfpy.layers.layer_options import NOT_IN_PLANS, OPTION_KINDS, LayerOptions
from tfpy.layers.naming import name_scope, register_name, snake_class, uid
from tfpy.layers.regularizers import Regularizer
from tfpy.layers.shapes import as_tuples, check_input_shape, computed_shapes, warn_of_other_shape
from tfpy.layers.specs import InputSpec, check_inputs
from tfpy.layers.symbolic import Node, SymbolicTensor, one_or_list, to_list
from tfpy.layers.weights import DisposeResult, LayerVariable, count_params, make_weight, set_values


@export(namespace="layers", doc="Layers / Classes")
class Layer(LayerCamel, Copyable, Declared, family="layer"):
    """A step of a model, with its own weights.

    A subclass declares its options, and defines `build(input_shape)`, which adds the weights, `call(inputs, …)` and
    `compute_output_shape(input_shape)`. `call` may take `training`, `mask` and other keywords by name, or a dict of
    them as its second argument.

    Attributes:
        id: a unique number.
        name: the layer's name.
        trainable: whether training changes its weights.
        built: whether its weights have been created.
        supports_masking: whether it accepts masks and passes them on.
        per_sample: whether its output for a sample depends on that sample alone.
        is_activation: whether it has no weights and can be used as an activation: `activation=ReLU(max_value=6)`.
        takes_every_mask: whether its `mask` is a list of the masks of all inputs instead of just the first.
        input_spec: the shapes and dtypes that it requires of its inputs.
        stateful: whether it keeps states from one batch to the next.

    Source: TF.js `tf.layers.Layer`.
    """

    _elsewhere = OF_LAYERS
    built = False
    stateful = False
    per_sample: ClassVar[bool] = False
    is_activation: ClassVar[bool] = False
    takes_every_mask: ClassVar[bool] = False
    transient = NOT_IN_PLANS
    convert: ClassVar[dict[str, Callable[[Any], Any]]] = {
        "activation": get_activation,
        "constraint": Constraint.of,
        "initializer": Initializer.of,
        "regularizer": Regularizer.of,
    }
    base_options: ClassVar[dict[str, Any]] = declared_in(LayerOptions)
    base_kinds: ClassVar[dict[str, str]] = OPTION_KINDS

    def __init_subclass__(cls, **keywords: Any) -> None:
        if "call" in cls.__dict__:
            cls.call = taking_a_dict(cls.__dict__["call"])  # type: ignore[method-assign]
        super().__init_subclass__(**keywords)

    def __init__(self, config: Mapping[str, Any] | None = None, /, *more: Never, **options: Any) -> None:
        self.id = handle.next_id()
        self._trainable_weights: list[LayerVariable] = []
        self._non_trainable_weights: list[LayerVariable] = []
        self._losses: list[Callable[[], Tensor]] = []
        self._references: int | None = None
        self.inbound_nodes: list[Node] = []
        self.outbound_nodes: list[Node] = []
        self.input_spec: list[InputSpec | None] | None = None
        self.supports_masking = False
        declared = {**self.options, **self.base_options}
        if type(self).__init__ is not Layer.__init__:
            # A user-defined class that reads its own options passes all of them on, as in TF.js.
            config, options = known_only(declared, config), known_only(declared, options)
        values = self._read(config, options, declared, more)
        self._set_base_options({name: values[name] for name in self.base_options})
        self._assign({name: values[name] for name in self.options})
        self.configure()

    __signature__ = DeclaredSignature(__init__)

    def _no_attribute(self, name: str) -> AttributeError:
        if "inbound_nodes" in vars(self):
            error = super()._no_attribute(name)
            if not self.built:
                error.add_note("The layer has no weights yet: apply makes them, or build(input_shape).")
            return error
        cls = type(self).__name__
        return AttributeError(f"{cls}: __init__ must call super().__init__(), which sets {name!r}.", name=name)

    def _set_base_options(self, base: dict[str, Any]) -> None:
        self._trainable = bool(base["trainable"])
        self.initial_weights = base["weights"]
        kind = self.get_class_name()
        self.name: str = base["name"] or uid(f"{snake_class(kind)}_{kind}")
        register_name(self.name)
        self.dtype: DType | None = base["dtype"]
        shape, inner = base["batch_input_shape"], base["input_shape"]
        if shape is None and inner is not None:
            shape = [base["batch_size"], *to_list(array_as_list(inner))]
        self.batch_input_shape = None if shape is None else check_input_shape(self.class_name, shape)
        if self.batch_input_shape is not None:
            self.dtype = self.dtype or base["input_dtype"] or "float32"

    def set_input_shape(self, shape: Sequence[int | None]) -> None:
        """Set the shape of one sample, for a first layer that knows it from one of its own options."""
        self.batch_input_shape = check_input_shape(self.class_name, [None, *shape])
        self.dtype = self.dtype or "float32"

    # For subclasses to define

    if TYPE_CHECKING:  # a subclass may rename the argument, and accept `training`, `mask`, states, or a dict of them

        def build(self, input_shape: Any, /) -> None:
            """Add the weights, for inputs of the given shape (a list of shapes for several inputs)."""

        def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            """Compute the layer's outputs."""
    else:

        def build(self, input_shape: Any) -> None:
            """Add the weights, for inputs of the given shape (a list of shapes for several inputs)."""
            self.built = True

        def call(self, inputs: Any) -> Any:
            """Compute the layer's outputs."""
            return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the output of `call` for inputs of the given shape; unknown sizes are None."""
        return as_tuples(self.name, input_shape)

    def shapes_of_call(self, input_shape: Any, arguments: Mapping[str, Any]) -> Any:
        """`compute_output_shape` for a call with these arguments, which may affect the number of outputs."""
        return self.compute_output_shape(input_shape)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the output of `call`; by default that of the inputs."""
        if not self.supports_masking:
            if any(m is not None for m in to_list(mask)):
                raise TypeError(f"Layer {self.name} does not support masking, but its input has a mask.")
            return None
        return mask

    def reset_states(self, states: Any = None) -> None:
        """Reset the states kept from earlier batches."""
        if not self.stateful:
            raise RuntimeError(f"reset_states: layer {self.name} is not stateful.")

    # Calling

    def apply(self, inputs: Any, kwargs: Mapping[str, Any] | None = None, **keywords: Any) -> Any:
        """Call the layer on tensors, or on symbolic tensors to make it part of a model.

        Args:
            inputs: a tensor or a list of them; either all are symbolic or none.
            kwargs: further arguments of `call`, as a dict: `training`, `mask`, `initial_state`, …
            keywords: the same, as keywords.

        Returns:
            A tensor or a list of them, symbolic if the inputs are.

        Raises:
            ValueError: inputs that do not fit the layer.
        """
        if not isinstance(kwargs, (Mapping, type(None))):
            expected = "a dict of keywords (a list has several inputs)"
            raise argument_error(self.name, "kwargs", expected, kwargs, TypeError)
        try:
            return self._apply(inputs, keywords if kwargs is None else {**kwargs, **keywords})
        except Exception as error:
            hide_own_lines(error)
            add_layer_note(error, self, inputs)
            raise

    __call__ = apply

    def index_counts(self) -> Sequence[int | None]:
        """For each input of indices, the number of entries that they index; None for other or omitted inputs."""
        return ()

    def _apply(self, inputs: Any, arguments: dict[str, Any]) -> Any:
        self.assert_not_disposed()
        check_keywords(self, arguments)
        inputs = as_tensors(self.name, inputs)
        symbolic = are_symbolic(self.name, inputs)
        with name_scope(self.name):
            if not self.built:
                self.check_against_spec(to_list(inputs))
                self._build_for(inputs)
                if not symbolic and self._references is None:
                    self._references = 1
            self.check_against_spec(to_list(inputs))
            return self._connect(inputs, arguments) if symbolic else self._compute(inputs, arguments)

    def check_against_spec(self, inputs: Sequence[Any]) -> None:
        """Raise ValueError if inputs do not match `input_spec`."""
        check_inputs(self.name, self.input_spec, inputs)

    def _build_for(self, inputs: Any) -> None:
        shapes = [tuple(x.shape) for x in to_list(inputs)]
        self.build(one_or_list(shapes))
        self.built = True
        if self.initial_weights is not None:
            self.set_weights(self.initial_weights)

    def _compute(self, inputs: Any, arguments: dict[str, Any]) -> Any:
        output = self.invoke(inputs, arguments)
        given = to_list(inputs)
        copied = [x.clone() if any(x is g for g in given) else x for x in to_list(output)]
        return copied if isinstance(output, (list, tuple)) else copied[0]

    def _connect(self, inputs: Any, arguments: dict[str, Any]) -> Any:
        given = to_list(inputs)
        warn_of_other_shape(self.name, self.batch_input_shape, given[0].shape)
        shapes = self.shapes_of_call(one_or_list([x.shape for x in given]), arguments)
        several, listed = computed_shapes(self.name, shapes)
        outputs = [
            SymbolicTensor("float32", s, self, given, arguments, self.name, i if several else None)
            for i, s in enumerate(listed)
        ]
        Node(self, given, outputs, arguments)
        self._references = (self._references or 0) + 1
        return outputs if several else outputs[0]

    def invoke(self, inputs: Any, arguments: Mapping[str, Any]) -> Any:
        """Call `call` with those arguments that it accepts.

        Raises:
            TypeError: it returns something other than tensors.
        """
        running = local.state.running
        running.append(self._described)
        try:
            outputs = call_layer(self, inputs, arguments)
        finally:
            running.pop()
        for output in to_list(outputs):
            if not isinstance(output, Tensor):
                raise TypeError(f"{self.name}: call must return one or several tensors, but returned {show(output)}.")
        add_activity_losses(self, to_list(outputs))
        return outputs

    def _described(self) -> str:
        return f"layer {self.name} ({self.get_class_name()})"

    # Weights

    @accepts_options()
    def add_weight(
        self,
        name: str,
        shape: Sequence[int | None],
        dtype: DType | None = None,
        initializer: Any = "zeros",
        regularizer: Any = None,
        trainable: bool = True,
        constraint: Any = None,
    ) -> LayerVariable:
        """Add a weight.

        Args:
            name: its name within the layer.
            shape: its shape, with known sizes.
            dtype: its dtype; float32 by default.
            initializer: computes its initial value.
            regularizer: what it adds to the loss.
            trainable: whether training changes it.
            constraint: applied to values that are written to it.

        Raises:
            ValueError: the layer has a weight of that name. TypeError: an unknown size.
        """
        own = self._trainable_weights + self._non_trainable_weights
        if any(weight.original_name.rpartition("/")[2] == name for weight in own):
            raise ValueError(f"add_weight: layer {self.name} already has a weight {name!r}.")
        sizes, kind = tuple(as_ints("add_weight", "shape", shape)), dtype or "float32"
        first = functools.partial(Initializer.of(initializer).apply, sizes, kind)
        weight = make_weight(name, sizes, kind, first, trainable, Constraint.of(constraint))
        if (loss := Regularizer.of(regularizer)) is not None:
            # Not a closure over the weight: in a copy of the layer it would compute the loss of the original's weight.
            self.add_loss(functools.partial(loss.apply, weight))
        (self._trainable_weights if trainable else self._non_trainable_weights).append(weight)
        return weight

    def _add_declared_weight(self, name: str, shape: Sequence[int | None], options: str | None = None) -> LayerVariable:
        """Add a trainable weight, configured by the options that begin with its name, or with the prefix `options`."""
        kinds = ("initializer", "regularizer", "constraint")
        first, regularizer, constraint = [getattr(self, f"{options or name}_{kind}") for kind in kinds]
        return self.add_weight(name, shape, None, first, regularizer, True, constraint)

    def invoke_call_hook(self, inputs: Any, kwargs: Any) -> None:
        """Do nothing: a test hook of TF.js, which a `call` written for TF.js calls first.

        Source: TF.js `tf.layers.Layer.invokeCallHook`.
        """

    def add_loss(self, losses: AddedLoss | Sequence[AddedLoss]) -> None:
        """Add functions without arguments whose values are added to the loss in every training step; or, within `call`,
        scalar tensors, which are added in this step (beyond TF.js). There, functions are called immediately.

        Raises:
            TypeError: any other value. ValueError: a tensor that is not a scalar.
        """
        if self._described in local.state.running:
            add_from_call(to_list(losses))
        else:
            self._losses = [*self._losses, *as_functions(to_list(losses))]

    def calculate_losses(self) -> list[Tensor]:
        """The values of the added losses."""
        return [loss() for loss in self.losses]

    @property
    def layers_within(self) -> Sequence[Layer]:
        """The layers inside this one. Their weights and losses follow those that it has added itself."""
        return ()

    @property
    def losses(self) -> list[Callable[[], Tensor]]:
        """The functions whose values are added to the loss."""
        within = self.layers_within
        return [*self._losses, *(loss for layer in within for loss in layer.losses)] if within else self._losses

    @property
    def trainable(self) -> bool:
        """Whether training changes its weights."""
        return self._trainable

    @trainable.setter
    def trainable(self, trainable: bool) -> None:
        self.train_own_weights(trainable)
        self._trainable = trainable

    def train_own_weights(self, trainable: bool) -> None:
        """Set whether training changes the weights added to the layer itself, regardless of `trainable`."""
        for weight in self._trainable_weights:
            weight.trainable = trainable

    @property
    def trainable_weights(self) -> list[LayerVariable]:
        """The weights that training changes."""
        if not self._trainable:
            return []
        found = [w for w in self._trainable_weights if w.trainable]
        for layer in self.layers_within:
            found += layer.trainable_weights
        return found

    @property
    def non_trainable_weights(self) -> list[LayerVariable]:
        """The weights that training does not change."""
        others = self._non_trainable_weights + [w for x in self.layers_within for w in x.non_trainable_weights]
        if self._trainable:
            return [w for w in self._trainable_weights if not w.trainable] + others
        frozen = [w for layer in self.layers_within for w in layer.trainable_weights]
        return self._trainable_weights + frozen + others

    @property
    def weights(self) -> list[LayerVariable]:
        """All weights, the trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

    @accepts_options()
    def get_weights(self, trainable_only: bool = False) -> list[Tensor]:
        """The current values of the weights, in the order of `weights`. In a list of variables for `tf.variable_grads`
        or an optimizer they stand for the weights, as in TF.js.
        """
        return [value_of(w) for w in (self.trainable_weights if trainable_only else self.weights)]

    @accepts_options()
    def set_weights(self, weights: Sequence[Any]) -> None:
        """Assign values to the weights, in the order of `weights`: the trainable ones first, then the others.

        Raises:
            ValueError, TypeError: the wrong number of values, or a wrong shape or dtype; no weight is changed then.
        """
        when = "" if self.built else ", which makes them when it is first built or called"
        set_values(f"layer {self.name}{when}", self.weights, weights)

    def count_params(self) -> int:
        """The number of parameters: the total number of elements of all weights."""
        if not self.built:
            raise RuntimeError(f"count_params: layer {self.name} has no weights yet; build it first.")
        return count_params(self.weights)

    # The graph

    @property
    def input(self) -> Any:
        """The symbolic input, if the layer was called exactly once."""
        return one_or_list(self._only_node("input").input_tensors)

    @property
    def output(self) -> Any:
        """The symbolic output, if the layer was called exactly once."""
        return one_or_list(self._only_node("output").output_tensors)

    @property
    def output_shape(self) -> Any:
        """The shape of the outputs, if it is the same for all calls."""
        shapes = [node.output_shapes for node in self.inbound_nodes]
        if not shapes:
            raise RuntimeError(f"output_shape: layer {self.name} has never been called.")
        if any(s != shapes[0] for s in shapes):
            raise RuntimeError(f"output_shape: the calls of layer {self.name} have outputs of different shapes.")
        return one_or_list(shapes[0])

    @accepts_options()
    def get_input_at(self, node_index: int) -> Any:
        """The symbolic input of one of the layer's calls."""
        return one_or_list(self._node_at("get_input_at", node_index).input_tensors)

    @accepts_options()
    def get_output_at(self, node_index: int) -> Any:
        """The symbolic output of one of the layer's calls."""
        return one_or_list(self._node_at("get_output_at", node_index).output_tensors)

    def _node_at(self, name: str, index: int) -> Node:
        if not 0 <= index < len(self.inbound_nodes):
            raise argument_error(name, "node_index", f"below the {len(self.inbound_nodes)} calls of {self.name}", index)
        return self.inbound_nodes[index]

    def _only_node(self, name: str) -> Node:
        if len(self.inbound_nodes) != 1:
            raise RuntimeError(
                f"{name}: layer {self.name} has been called {len(self.inbound_nodes)} times, so that its {name} is not "
                f"defined; use get_{name}_at(node_index)."
            )
        return self.inbound_nodes[0]

    # Configuration and disposal

    @classmethod
    @accepts_options()
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """A layer from a configuration as in `get_config`, with keys in either spelling and its name from there."""
        layer = super().from_config(config)
        name = config.get("name")
        if isinstance(name, str) and name != layer.name:  # the constructor has not passed it on
            layer.name = name
            register_name(name)
        return layer

    def get_config(self) -> dict[str, Any]:
        """The options by snake_case name, as plain values."""
        config = {**super().get_config(), "name": self.name, "trainable": self.trainable}
        if self.batch_input_shape is not None:
            config["batch_input_shape"] = list(self.batch_input_shape)
        if self.dtype is not None:
            config["dtype"] = self.dtype
        return config

    @property
    def in_use(self) -> bool:
        """Whether it has been called, and not yet disposed by all of its users."""
        return bool(self._references)

    def assert_not_disposed(self) -> None:
        """Raise a RuntimeError if all of its users have disposed it."""
        if self._references == 0:
            raise RuntimeError(f"Layer {self.name} is already disposed.")

    def dispose(self) -> DisposeResult:
        """Release the weights; they are freed once no other model uses the layer."""
        if not self.built or self._references is None:
            raise RuntimeError(f"dispose: layer {self.name} has not been built and used yet.")
        self.assert_not_disposed()
        self._references -= 1
        freed = self._dispose_weights() if self._references == 0 else 0
        return DisposeResult(self._references, freed)

    def _dispose_weights(self) -> int:
        weights = self.weights
        for weight in weights:
            weight.dispose()
        return len(weights)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(name={self.name!r})"
