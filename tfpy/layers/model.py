"""LayersModel: a container that can be compiled, trained, evaluated and asked for predictions."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from tfpy.core.memory import tidy
from tfpy.core.ops.join import concat
from tfpy.core.options import accepts_options
from tfpy.core.ready import ReadyFloat, ReadyList
from tfpy.core.registry import export
from tfpy.core.tensor import Tensor
from tfpy.engine import rng
from tfpy.engine.errors import argument_error, unknown_name_error
from tfpy.engine.spec import as_int
from tfpy.layers import data_adapter as adapter
from tfpy.layers._camel import LayersModelCamel
from tfpy.layers.callbacks import CallbackList, CallbackRegistry, History, as_callbacks
from tfpy.layers.container import Container
from tfpy.layers.losses import get_loss
from tfpy.layers.metrics import metric_for_output
from tfpy.layers.model_optimizers import get_optimizer
from tfpy.layers.progress import displays
from tfpy.layers.summary import summary_lines
from tfpy.layers.symbolic import as_list, one_or_list
from tfpy.layers.training import Batch, Compiled, FitOptions, Output, fit_loop, labels_of, test_loop, train_step

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tfpy.core.optimizers.base import Optimizer


@export(doc="Models / Classes")
class LayersModel(LayersModelCamel, Container, class_name="Model"):
    """A model of layers, from symbolic inputs to outputs.

    Args:
        inputs: the symbolic inputs, made by `tf.input`.
        outputs: the symbolic outputs.
        name: the model's name; numbered by default.

    Attributes:
        loss: what `compile` was given as loss.
        metrics: what `compile` was given as metrics.
        metrics_names: the names of what `evaluate` and `train_on_batch` return.

    Source: TF.js `tf.LayersModel`.
    """

    name_prefix: ClassVar[str] = "model"

    def configure(self) -> None:
        self._compiled: Compiled | None = None
        self._training = False
        self._stop_training = False
        self.loss: Any = None
        self.metrics: Any = None
        super().configure()

    # Compiling

    @accepts_options("args")
    def compile(
        self,
        args: Mapping[str, Any] | None = None,
        *,
        optimizer: str | Optimizer | None = None,
        loss: Any = None,
        metrics: Any = None,
        loss_weights: Any = None,
    ) -> None:
        """Settle how the model is trained and judged.

        Args:
            args: the options below as a dict.
            optimizer: a name ('sgd', 'adam', 'rmsprop', 'adagrad', 'adadelta', 'adamax'), or one of `tf.train`.
            loss: a name or a function of (labels, predictions); for several outputs one for all, a list, or a dict by
                output name.
            metrics: names or functions; for several outputs for all, or a dict by output name.
            loss_weights: without effect, as in TF.js.

        Raises:
            ValueError, TypeError: an unknown name, or a loss for an output that does not exist; the model stays as it
                was.

        Source: TF.js `tf.LayersModel.compile`.
        """
        if not self.outputs:
            raise RuntimeError(f"compile: model {self.name} has no layers yet; add some first.")
        chosen = get_optimizer(optimizer)
        outputs = self._judged(loss, metrics)
        self._compiled = Compiled(chosen, outputs, labels_of(outputs))
        self.loss, self.metrics = loss, metrics

    def _judged(self, loss: Any, metrics: Any) -> list[Output]:
        found = []
        named = self._by_output("metrics", metrics, [])
        for i, (name, own) in enumerate(zip(self.output_names, self._losses_given(loss), strict=True)):
            function = None if own is None else get_loss(own)
            shape = self.graph.outputs[i].shape
            found.append(Output(name, function, [metric_for_output(m, shape, function) for m in as_list(named[i])]))
        return found

    def _losses_given(self, loss: Any) -> list[Any]:
        names = self.output_names
        if loss is None:
            raise argument_error("compile", "loss", "given: a name or a function of (labels, predictions)", None)
        if isinstance(loss, (list, tuple)):
            if len(loss) != len(names):
                expected = f"one loss for each of the {len(names)} outputs"
                raise argument_error("compile", "loss", expected, f"{len(loss)} of them")
            return list(loss)
        found = self._by_output("loss", loss, None)
        for name in [n for n, own in zip(names, found, strict=True) if own is None]:
            warnings.warn(f"compile: output {name!r} has no loss, and will not be trained for.", stacklevel=5)
        return found

    def _by_output(self, argument: str, given: Any, default: Any) -> list[Any]:
        """For each output what is given for it, by name or for all."""
        if not isinstance(given, Mapping):
            return [default if given is None else given] * len(self.output_names)
        for name in given:
            if name not in self.output_names:
                raise unknown_name_error(f"output in {argument}", name, self.output_names)
        return [given.get(name, default) for name in self.output_names]

    def _needs_compiling(self, where: str) -> Compiled:
        if self._compiled is None:
            raise RuntimeError(f"{where}: compile the model first, with model.compile(optimizer=…, loss=…).")
        return self._compiled

    @property
    def optimizer(self) -> Any:
        """The optimizer; None before `compile`."""
        return None if self._compiled is None else self._compiled.optimizer

    @optimizer.setter
    def optimizer(self, optimizer: Optimizer) -> None:
        self._compiled = self._needs_compiling("optimizer")._replace(optimizer=get_optimizer(optimizer))

    @property
    def stop_training(self) -> bool:
        """Set by callbacks to end `fit` after the current batch."""
        return self._stop_training

    @stop_training.setter
    def stop_training(self, stop: bool) -> None:
        self._stop_training = stop

    @property
    def metrics_names(self) -> list[str]:
        """The names of what `evaluate` and `train_on_batch` return."""
        return [] if self._compiled is None else self._compiled.labels

    # Training

    @accepts_options("args")
    def fit(
        self,
        x: Any,
        y: Any,
        args: Mapping[str, Any] | None = None,
        *,
        batch_size: int = 32,
        epochs: int = 1,
        verbose: int = 1,
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        yield_every: Any = "auto",
        seed: rng.Seed | None = None,
    ) -> History:
        """Train the model.

        Args:
            x: the inputs: a tensor or array, a list of them, or a dict by input name.
            y: the labels, likewise by output.
            args: the options below as a dict.
            batch_size: how many samples make a step.
            epochs: the number of the last epoch, counted from 1.
            verbose: 0 for silence, 1 for a progress bar (lines where there is no terminal), 2 for a line each epoch.
            callbacks: callbacks, or dicts of functions.
            validation_split: the part of the samples, taken from the end, that is not trained on but evaluated.
            validation_data: (x, y) to evaluate after each epoch.
            shuffle: whether each epoch takes the samples in another order.
            class_weight: by class, how much its samples count; for several outputs a list, or a dict by output name.
            sample_weight: how much each sample counts, one number for each (beyond TF.js).
            initial_epoch: the epoch to begin with, when training goes on.
            steps_per_epoch: without effect here, as in TF.js; it belongs to data sets.
            validation_steps: likewise.
            yield_every: how often callbacks' on_yield is called: 'auto', milliseconds, 'batch', 'epoch' or 'never'.
            seed: makes the order of the samples repeatable (beyond TF.js).

        Returns:
            The losses and metrics of each epoch; it may be awaited.

        Raises:
            ValueError, TypeError: data or options that do not fit; the model is unchanged.
            RuntimeError: the model is not compiled, has nothing to train, or is training already.

        Source: TF.js `tf.LayersModel.fit`.
        """
        compiled = self._needs_compiling("fit")
        size = adapter.batch_size_of("fit", batch_size)
        epochs, first = as_int("fit", "epochs", epochs), as_int("fit", "initial_epoch", initial_epoch)
        listeners = as_callbacks(callbacks, yield_every)
        with self._only_fit(), tidy():
            data = self._batch("fit", compiled, x, y, class_weight, sample_weight, size)
            data, held_out = self._held_out(compiled, data, validation_data, validation_split, size)
            if not self.trainable_weights:
                raise RuntimeError("fit: the model has no trainable weights.")
            options = FitOptions(size, epochs, first, shuffle, seed, held_out)
            return self._run(compiled, data, options, verbose, listeners)

    def _run(
        self, compiled: Compiled, data: Batch, options: FitOptions, verbose: int, listeners: Sequence[Any]
    ) -> History:
        history = History()
        shown = displays(verbose)
        calls = CallbackList([*shown, *CallbackRegistry.made_for(int(verbose)), *listeners, history])
        validated = [f"val_{label}" for label in compiled.labels] if options.validation is not None else []
        calls.set_params(
            {
                "epochs": options.epochs,
                "initial_epoch": options.initial_epoch,
                "samples": data.size,
                "steps": -(-data.size // options.batch_size),
                "batch_size": options.batch_size,
                "verbose": verbose,
                "do_validation": options.validation is not None,
                "metrics": [*compiled.labels, *validated],
            }
        )
        calls.set_model(self)
        try:
            fit_loop(self, compiled, data, options, calls)
        finally:
            for display in shown:
                display.close()
        return history

    @contextmanager
    def _only_fit(self) -> Iterator[None]:
        if self._training:
            raise RuntimeError("fit: the model is being trained already.")
        self._training = True
        try:
            yield
        finally:
            self._training = False

    def _batch(
        self, where: str, compiled: Compiled, x: Any, y: Any, class_weight: Any, sample_weight: Any, size: int | None
    ) -> Batch:
        """All samples as tensors, checked against the model."""
        inputs = self._inputs(where, x)
        shapes = [t.shape for t in self.outputs]
        functions = [output.loss for output in compiled.outputs]
        wanted = [adapter.target_shape(shape, loss) for shape, loss in zip(shapes, functions, strict=True)]
        targets = adapter.standardize(where, "y", y, self.output_names, wanted)
        adapter.check_lengths(where, inputs, targets)
        adapter.check_targets(where, targets, functions, shapes)
        if self.stateful and size is not None and inputs[0].shape[0] % size:
            expected = f"as many samples as full batches of {size} take, since the model is stateful"
            raise argument_error(where, "x", expected, inputs[0])
        weights = adapter.sample_weights(where, class_weight, sample_weight, self.output_names, targets)
        return Batch(inputs, targets, weights)

    def _inputs(self, where: str, x: Any) -> list[Tensor]:
        return adapter.standardize(where, "x", x, self.input_names, [t.shape for t in self.graph.inputs])

    def _held_out(
        self, compiled: Compiled, data: Batch, given: Any, part: float, size: int
    ) -> tuple[Batch, Batch | None]:
        """The samples to train on, and those to validate on."""
        if given is not None:
            x, y = adapter.validation(given)
            return data, self._batch("fit", compiled, x, y, None, None, size)
        if not 0 < part < 1:
            return data, None
        at = int(data.size * (1 - part))
        if at == 0:
            raise argument_error("fit", "validation_split", f"small enough to leave some of {data.size} samples", part)
        return data.batch(0, at), data.batch(at, data.size)._replace(weights=[None] * len(self.outputs))

    def train_on_batch(self, x: Any, y: Any) -> Any:
        """One step of the optimizer on a batch.

        Returns:
            The loss before the step, a number; a list of it and the metrics if there are any. It may be awaited.

        Source: TF.js `tf.LayersModel.trainOnBatch`.
        """
        compiled = self._needs_compiling("train_on_batch")
        with tidy():
            batch = self._batch("train_on_batch", compiled, x, y, None, None, None)
            found = train_step(self, compiled, batch, self.trainable_weights)
            values = [ReadyFloat(value.data_sync()[0]) for value in found]
        return values[0] if len(values) == 1 else ReadyList(values)

    # Using

    @accepts_options("args")
    def evaluate(
        self,
        x: Any,
        y: Any,
        args: Mapping[str, Any] | None = None,
        *,
        batch_size: int = 32,
        verbose: int = 0,
        sample_weight: Any = None,
        steps: int | None = None,
    ) -> Any:
        """Loss and metrics for given samples, without the losses of regularizers.

        Args:
            x: the inputs.
            y: the labels.
            args: the options below as a dict.
            batch_size: how many samples are taken at a time.
            verbose: 1 prints what is found.
            sample_weight: how much each sample counts in the loss (beyond TF.js).
            steps: how many batches to look at; all by default (beyond TF.js).

        Returns:
            The loss, a scalar; a list of it and the metrics if there are any, in the order of `metrics_names`.

        Source: TF.js `tf.LayersModel.evaluate`.
        """
        compiled = self._needs_compiling("evaluate")
        size = adapter.batch_size_of("evaluate", batch_size)

        def values() -> list[Tensor]:
            data = self._batch("evaluate", compiled, x, y, None, sample_weight, size)
            if steps is not None:
                data = data.batch(0, min(data.size, as_int("evaluate", "steps", steps) * size))
            return test_loop(self, compiled, data, size)

        found = ReadyList(tidy(values))
        if verbose:
            print(" · ".join(f"{n} {float(v):.4g}" for n, v in zip(compiled.labels, found, strict=True)))
        return found[0] if len(found) == 1 else found

    @accepts_options("args")
    def predict(self, x: Any, args: Mapping[str, Any] | None = None, *, batch_size: int = 32, verbose: int = 0) -> Any:
        """The outputs for given inputs.

        Args:
            x: the inputs: a tensor or array, a list of them, or a dict by input name.
            args: the options below as a dict.
            batch_size: how many samples are computed at a time.
            verbose: without effect, as in TF.js.

        Returns:
            A tensor, or a list of them for several outputs.

        Source: TF.js `tf.LayersModel.predict`.
        """
        size = adapter.batch_size_of("predict", batch_size)
        return tidy(lambda: self._predict("predict", x, size))

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for given inputs, computed at once.

        Source: TF.js `tf.LayersModel.predictOnBatch`.
        """
        return tidy(lambda: self._predict("predict_on_batch", x, None))

    def _predict(self, where: str, x: Any, size: int | None) -> Any:
        inputs = self._inputs(where, x)
        count = inputs[0].shape[0]
        if any(t.shape[0] != count for t in inputs):
            raise argument_error(where, "x", "inputs with as many samples", [list(t.shape) for t in inputs])
        data = Batch(inputs, [], [])
        spans = adapter.batches(count, size or max(count, 1)) or [(0, 0)]
        parts = [tidy(lambda s=s, e=e: self.graph.run(data.batch(s, e).inputs)[0]) for s, e in spans]  # type: ignore[misc]
        return one_or_list([ps[0] if len(ps) == 1 else concat(list(ps)) for ps in zip(*parts, strict=True)])

    # Looking

    @accepts_options()
    def summary(
        self,
        line_length: int | None = None,
        positions: Sequence[float] | None = None,
        print_fn: Callable[[str], Any] = print,
    ) -> None:
        """Print the layers, their shapes and the numbers of their weights.

        Args:
            line_length: the width, in characters.
            positions: where the columns end: parts of the width, or characters.
            print_fn: called with each line.

        Source: TF.js `tf.LayersModel.summary`.
        """
        for line in summary_lines(self, line_length, positions):
            print_fn(line)


@export(doc="Models / Creation", options="args")
def model(
    args: Mapping[str, Any] | None = None, *, inputs: Any = None, outputs: Any = None, name: str | None = None
) -> LayersModel:
    """A model from symbolic inputs to symbolic outputs.

    Args:
        args: the options below as a dict.
        inputs: the symbolic inputs, made by `tf.input`.
        outputs: what layers have made of them.
        name: the model's name; numbered by default.

    Source: TF.js `tf.model`.
    """
    for argument, value in (("inputs", inputs), ("outputs", outputs)):
        if value is None:
            raise argument_error("model", argument, "symbolic tensors", None)
    return LayersModel(inputs=inputs, outputs=outputs, name=name)
