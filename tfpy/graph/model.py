"""GraphModel: a TensorFlow model in the JSON format of TF.js's converter, and what loads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.ready import Ready, as_ready
from tfpy.core.calling.registry import export
from tfpy.core.convert import to_tensor
from tfpy.core.io.artifacts import ModelArtifacts, SaveResult, artifacts_from, as_artifacts, with_weight_data
from tfpy.core.io.buffers import CompositeArrayBuffer
from tfpy.core.io.errors import ModelFileError, field_error
from tfpy.core.io.handlers import load_artifacts, save_artifacts
from tfpy.core.io.json_text import check_depth
from tfpy.core.io.load_options import LoadOptions, read_load_options
from tfpy.core.io.quantization import quantized
from tfpy.core.io.specs import read_specs
from tfpy.core.io.weights import decode
from tfpy.core.memory import dispose, tidy
from tfpy.core.naming.elsewhere import OF_GRAPH_MODELS
from tfpy.core.naming.hints import add_absent, without_absent
from tfpy.core.results import Entries
from tfpy.core.system.environment import ENV
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import Unquoted, argument_error, unknown_name_error, with_article
from tfpy.engine.scope import outlive_scopes
from tfpy.graph._camel import GraphModelCamel

if TYPE_CHECKING:
    from tfpy.graph.graph_def import Graph, Port, Ref
    from tfpy.graph.planned import PlannedRuns
    from tfpy.graph.run import Executor, Feeds

DEFAULT_NAME = "model.json"
TF_HUB_QUERY = "?tfjs-format=file"


@export(doc="Models / Classes")
class GraphModel(GraphModelCamel, Ready):
    """A TensorFlow model made by TF.js's converter: it can be run, but not trained.

    Args:
        model_url: a path, URL, dict or handler, as in `load_graph_model`.
        load_options: `tf.io.LoadOptions` as a dict.

    Attributes:
        keep_intermediate_tensors: whether runs keep what all nodes compute, for `get_intermediate_tensors`; those
            of all models do while the flag KEEP_INTERMEDIATE_TENSORS is set, as in TF.js.

    Source: TF.js `tf.GraphModel`.
    """

    def __init__(self, model_url: Any, load_options: Mapping[str, Any] | None = None) -> None:
        self._url = model_url
        self._options = read_load_options(load_options, "GraphModel")
        self._artifacts: ModelArtifacts | None = None
        self._initializer: Executor | None = None
        self._runs: PlannedRuns | None = None
        self._captured: dict[Any, Any] | None = None
        self._intermediate: dict[str, list[Tensor]] | None = None
        self.keep_intermediate_tensors = False

    # Loading

    def load(self) -> bool:
        """Read the model; return True when done.

        Raises:
            ModelFileError: naming the file, the node in it and what is wrong.
        """
        artifacts, source = load_artifacts("load_graph_model", "model_url", self._url, self._options)
        return self._load(artifacts, source)

    def load_sync(self, artifacts: Mapping[str, Any]) -> bool:
        """Load the model from its artifacts; return True when done."""
        source = "model artifacts"
        return self._load(with_weight_data(as_artifacts(artifacts, "load_sync"), source), source)

    def _load(self, artifacts: ModelArtifacts, source: str) -> bool:
        from tfpy.graph.loading import read_model
        from tfpy.graph.planned import PlannedRuns

        weights: dict[str, Tensor] = {}
        if artifacts.weight_data is not None:
            specs = read_specs(artifacts.weight_specs, source)
            weights = decode(CompositeArrayBuffer(artifacts.weight_data), specs, source)
        try:
            check_depth(artifacts.model_topology, source)
            executor, self._initializer, resources = read_model(artifacts, weights, source)
            self._runs = PlannedRuns(executor, resources)
            self._captured = None
        except ValueError:
            dispose(weights)
            raise
        for weight in weights.values():
            outlive_scopes(weight)
        self._artifacts = artifacts
        return True

    # Properties

    @property
    def model_version(self) -> str:
        """The versions of TensorFlow that made the graph and that can read it."""
        versions = self._given.model_topology.get("versions")
        versions = versions if isinstance(versions, Mapping) else {}
        return f"{versions.get('producer')}.{versions.get('minConsumer')}"

    @property
    def input_nodes(self) -> list[str]:
        """The names of the inputs."""
        return [port.key for port in self._graph.inputs]

    @property
    def output_nodes(self) -> list[str]:
        """The names of the outputs."""
        return [port.key for port in self._graph.outputs]

    @property
    def inputs(self) -> list[Entries]:
        """Name, shape and dtype of each input; unknown sizes are -1."""
        return [_described(port) for port in self._graph.inputs]

    @property
    def outputs(self) -> list[Entries]:
        """Name, shape and dtype of each output, as far as the graph says."""
        return [_described(port) for port in self._graph.outputs]

    @property
    def weights(self) -> dict[str, list[Tensor]]:
        """The constants by the names of their nodes, each in a list."""
        return {name: [value] for name, value in self._loaded.resources.weights.items()}

    @property
    def metadata(self) -> Any:
        """The user-defined metadata of the model; None if there are none."""
        return self._given.user_defined_metadata

    @property
    def model_signature(self) -> Any:
        """The names of inputs and outputs; None if the model has none."""
        return self._metadata.get("signature") or self._given.signature

    @property
    def model_structured_output_keys(self) -> Any:
        """The keys of the dict that `predict` returns; None if it does not return a dict."""
        keys = self._metadata.get("structuredOutputKeys")
        if keys is not None and not (isinstance(keys, (list, tuple)) and all(isinstance(key, str) for key in keys)):
            raise field_error("the model", "userDefinedMetadata.structuredOutputKeys", "a list of strings", keys)
        return keys

    def __getstate__(self) -> dict[str, Any]:
        if self._artifacts is None:
            return vars(self)
        # The graph as it is run has functions that cannot be pickled: the copy reads the artifacts again.
        made = dict.fromkeys(("_runs", "_initializer", "_captured", "_intermediate"))
        return {**vars(self), "_url": self._artifacts, **made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if self._artifacts is not None:
            self.load_sync(self._artifacts)

    def __dir__(self) -> list[str]:
        return without_absent(super().__dir__(), type(self))

    def __repr__(self) -> str:
        if self._runs is None:
            return "GraphModel(not loaded)"
        return f"GraphModel({_listed(self._graph.inputs)} → {_listed(self._graph.outputs)})"

    @property
    def _metadata(self) -> Mapping[str, Any]:
        return self.metadata if isinstance(self.metadata, Mapping) else {}

    @property
    def _given(self) -> ModelArtifacts:
        if self._artifacts is None:
            raise RuntimeError("GraphModel: load the model first, with model.load() or tf.load_graph_model.")
        return self._artifacts

    @property
    def _loaded(self) -> PlannedRuns:
        if self._runs is None:
            raise RuntimeError("GraphModel: load the model first, with model.load() or tf.load_graph_model.")
        return self._runs

    @property
    def _graph(self) -> Graph:
        return self._loaded.executor.graph

    # Running

    @accepts_options("config")
    def predict(
        self,
        inputs: Any,
        config: Mapping[str, Any] | None = None,
        *,
        batch_size: int | None = None,
        verbose: bool = False,
    ) -> Any:
        """The model's outputs for given inputs; calling the model does the same.

        Args:
            inputs: a tensor or array, a list of them in the order of `input_nodes`, or a dict by name.
            config: the options below as a dict.
            batch_size: ignored, as in TF.js: the inputs are one batch.
            verbose: ignored, as in TF.js.

        Returns:
            A tensor, a list of them for several outputs, or a dict if the model names its outputs.

        Raises:
            ValueError: inputs that are missing or do not fit. TypeError: a wrong dtype.

        Source: TF.js `tf.GraphModel.predict`.
        """
        found = self._execute("predict", inputs)
        keys = self.model_structured_output_keys
        if not keys:
            return found
        return dict(zip(keys, found if isinstance(found, list) else [found], strict=False))

    def __call__(self, inputs: Any) -> Any:
        return self.predict(inputs)

    @accepts_options("config")
    def predict_async(
        self,
        inputs: Any,
        config: Mapping[str, Any] | None = None,
        *,
        batch_size: int | None = None,
        verbose: bool = False,
    ) -> Any:
        """`predict` with an awaitable result."""
        return as_ready(self.predict(inputs))

    @accepts_options()
    def execute(self, inputs: Any, outputs: str | Sequence[str] | None = None) -> Any:
        """The values of any nodes for given inputs. Graphs with loops and branches run as well (beyond TF.js).

        Args:
            inputs: a tensor or array, a list of them in the order of `input_nodes`, or a dict by name; any node of the
                graph may be given.
            outputs: names of outputs or nodes, 'node:1' for the second output of a node; the model's own by default.

        Returns:
            A tensor; a list of them for several outputs.

        Raises:
            ValueError: inputs that are missing or do not fit, or names that are not in the graph.

        Source: TF.js `tf.GraphModel.execute`.
        """
        return self._execute("execute", inputs, outputs)

    @accepts_options()
    def execute_async(self, inputs: Any, outputs: str | Sequence[str] | None = None) -> Any:
        """`execute` with an awaitable result."""
        return as_ready(self.execute(inputs, outputs))

    def _execute(self, where: str, inputs: Any, outputs: str | Sequence[str] | None = None) -> Any:
        self.dispose_intermediate_tensors()
        wanted = self._wanted(outputs)
        found = tidy(lambda: self._run(self._feeds(where, inputs), wanted))
        return found[0] if len(wanted) == 1 else found

    def _run(self, feeds: Feeds, wanted: list[Ref]) -> list[Tensor]:
        if not (self.keep_intermediate_tensors or ENV.get("KEEP_INTERMEDIATE_TENSORS")):
            return self._loaded.run(feeds, wanted)
        values = dict(feeds)
        found = self._loaded.run(feeds, wanted, values)
        self._intermediate = _copies_to_keep(values)
        return found

    def _wanted(self, outputs: Any) -> list[Ref]:
        from tfpy.graph.graph_def import read_ref

        known = {port.key: port.ref for port in self._graph.outputs}
        if outputs is None:
            return list(known.values())
        refs = []
        for name in [outputs] if isinstance(outputs, str) else outputs:
            ref = known.get(name) or read_ref(name, "execute", "an output")
            if ref.node not in self._graph.nodes:
                raise unknown_name_error("output", name, {*known, *self._graph.nodes})
            refs.append(ref)
        if not refs:
            raise argument_error("execute", "outputs", "at least one name", outputs)
        return refs

    def _feeds(self, where: str, inputs: Any) -> Feeds:
        """The values of nodes by name, checked against the graph's declarations."""
        from tfpy.graph.graph_def import read_ref
        from tfpy.graph.run import put

        captured = self._captured_resources()
        ports = {port.key: port for port in self._graph.inputs}
        by_ref = {port.ref: port for port in self._graph.inputs}
        found: dict[str, list[Any]] = {}
        for port in ports.values():
            if port.resource is not None and port.resource in captured:
                found[port.ref.node] = [captured[port.resource]]
        for name, value in self._named(where, inputs, [p for p in ports.values() if p.ref.node not in found]).items():
            ref = ports[name].ref if name in ports else read_ref(name, where, "an input")
            if ref.node not in self._graph.nodes:
                raise unknown_name_error("input", name, {*ports, *self._graph.nodes})
            put(found, ref, _checked(where, name, value, by_ref.get(ref)))
        return found

    def _named(self, where: str, inputs: Any, ports: list[Port]) -> Mapping[str, Any]:
        if isinstance(inputs, Mapping):
            return inputs
        several = isinstance(inputs, (list, tuple)) and (len(ports) != 1 or _holds_tensors(inputs))
        values = list(inputs) if several else [inputs]
        if len(values) != len(ports):
            names = ", ".join(port.key for port in ports)
            raise argument_error(where, "inputs", f"{len(ports)} tensors ({names})", Unquoted(f"{len(values)} of them"))
        return {port.key: value for port, value in zip(ports, values, strict=True)}

    def _captured_resources(self) -> dict[Any, Any]:
        """The resources that the model's initializer makes, such as tables, by the numbers in the signature."""
        if self._captured is None:
            captured: dict[Any, Any] = {}
            if self._initializer is not None:
                resources = self._loaded.resources
                outputs = self._initializer.graph.outputs
                values = self._initializer.run({}, [port.ref for port in outputs], resources)
                for value in values:
                    if isinstance(value, Tensor):
                        outlive_scopes(value)
                captured = {port.resource: value for port, value in zip(outputs, values, strict=True)}
            self._captured = captured
        return self._captured

    # Keeping and disposing

    def get_intermediate_tensors(self) -> dict[str, list[Tensor]] | None:
        """The values of the nodes in the last run, if `keep_intermediate_tensors` or the flag was set. Scopes do not
        free them; `dispose_intermediate_tensors` and the next run do.
        """
        return self._intermediate

    def dispose_intermediate_tensors(self) -> None:
        """Free the tensors kept by the last run."""
        for tensors in (self._intermediate or {}).values():
            for tensor in tensors:
                tensor.dispose()
        self._intermediate = None

    @accepts_options("config")
    def save(
        self, handler_or_url: Any, config: Mapping[str, Any] | None = None, *, quantize: str | None = None
    ) -> SaveResult:
        """Save the model as it was loaded.

        Args:
            handler_or_url: a folder, a path that ends in '.json' or '.zip', a URL, or a handler of `tf.io`.
            config: ignored, as in TF.js.
            quantize: 'float16', 'uint16' or 'uint8' stores float32 weights in half or a quarter of the bytes, rounded,
                as TF.js's converter does (beyond TF.js, which reads them).

        Source: TF.js `tf.GraphModel.save`.
        """
        given = quantized(self._given, quantize) if quantize is not None else self._given
        return save_artifacts("save", "handler_or_url", handler_or_url, given)

    def dispose(self) -> None:
        """Free the constants; the model is not used again."""
        if self._runs is not None:
            self.dispose_intermediate_tensors()
            for weight in self._runs.resources.weights.values():
                weight.dispose()
            self._runs.resources.tables.clear()
            self._runs.plans.clear()


add_absent(GraphModel, OF_GRAPH_MODELS)


def _described(port: Port) -> Entries:
    return Entries({"name": port.ref.node, "shape": port.shape, "dtype": port.dtype})


def _listed(ports: Iterable[Port]) -> str:
    """Inputs or outputs in a line: their names, with dtypes and shapes as far as they are known."""
    known = [(p.key, [str(part) for part in (p.dtype, p.shape and [*p.shape]) if part is not None]) for p in ports]
    return ", ".join([f"{key}: {' '.join(parts)}" if parts else key for key, parts in known])


def _checked(where: str, name: str, value: Any, port: Port | None) -> Any:
    """A value as a tensor of the dtype and shape that the graph says."""
    dtype = None if port is None else port.dtype
    # Plain values are converted to the dtype; integers would be float32 otherwise.
    tensor = to_tensor(where, name, value, "any" if isinstance(value, Tensor) or dtype is None else dtype)
    if dtype is not None and tensor.dtype != dtype:
        raise argument_error(where, name, f"{with_article(dtype)} tensor", tensor, TypeError)
    shape = None if port is None else port.shape
    fits = shape is None or (
        len(shape) == tensor.rank and all(m in (-1, n) for m, n in zip(shape, tensor.shape, strict=True))
    )
    if not fits and shape is not None:
        raise argument_error(where, name, f"of shape {list(shape)}, -1 being any size", tensor)
    return tensor


def _holds_tensors(values: Sequence[Any]) -> bool:
    """Whether a list is a list of tensors, not the values of one tensor."""
    return len(values) > 0 and (isinstance(values[0], Tensor) or getattr(values[0], "shape", ()) != ())


def _copies_to_keep(values: Mapping[str, Iterable[Any]]) -> dict[str, list[Tensor]]:
    """The tensors among the values of nodes, protected from scopes and from disposal of inputs and outputs."""
    return {
        name: [outlive_scopes(v.clone()) for v in listed if isinstance(v, Tensor)] for name, listed in values.items()
    }


@export(doc="Models / Loading", options="options")
def load_graph_model(
    model_url: Any,
    options: Mapping[str, Any] | None = None,
    **loading: Unpack[LoadOptions],
) -> GraphModel:
    """Load a TensorFlow model made by TF.js's converter.

    Args:
        model_url: the path of a model.json, its folder or a zip archive; a URL; a parsed model.json, or artifacts in a
            dict; or a handler of `tf.io`.
        options: the options below as a dict.
        **loading: see `tf.io.LoadOptions`.

    Returns:
        The model; awaitable.

    Raises:
        ModelFileError: a ValueError that names the file, the node in it and what is wrong; all unknown ops
            are named at once.

    Source: TF.js `tf.loadGraphModel`.
    """
    if loading.get("from_tf_hub") and isinstance(model_url, str):
        model_url = f"{model_url.rstrip('/')}/{DEFAULT_NAME}{TF_HUB_QUERY}"
    model = GraphModel(model_url, loading)
    model.load()
    return model


def model_of(artifacts: ModelArtifacts, source: str) -> GraphModel:
    """The model that artifacts describe.

    Raises:
        ModelFileError: as in `load_graph_model`.
    """
    model = GraphModel(source)
    model._load(artifacts, source)
    return model


@export(doc="Models / Loading")
def load_graph_model_sync(model_source: Any) -> GraphModel:
    """Load a TensorFlow model from memory.

    Args:
        model_source: artifacts in a dict, a pair of a parsed model.json and the bytes of its weights, or a handler.

    Raises:
        ModelFileError: as in `load_graph_model`.

    Source: TF.js `tf.loadGraphModelSync`.
    """
    if isinstance(model_source, (list, tuple)):
        if len(model_source) != 2 or not isinstance(model_source[0], Mapping):
            expected = "a pair of a parsed model.json and the bytes of its weights"
            raise argument_error("load_graph_model_sync", "model_source", expected, model_source)
        model_json, data = model_source
        for key in ("modelTopology", "weightsManifest"):
            if model_json.get(key) is None:
                raise ModelFileError(f"load_graph_model_sync: the model.json has no {key}.")
        model_source = artifacts_from(model_json, data)
    model = GraphModel(model_source)
    model._load(*load_artifacts("load_graph_model_sync", "model_source", model_source, LoadOptions()))
    return model
