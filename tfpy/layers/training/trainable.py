"""TrainableModel: what a model needs to be compiled, trained and evaluated, on arrays or on data sets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from tfpy.core.hints import OF_MODELS
from tfpy.core.memory import tidy
from tfpy.core.options import accepts_options
from tfpy.core.ready import ReadyFloat, ReadyList
from tfpy.core.tensor import Tensor
from tfpy.engine import rng
from tfpy.engine.arguments import as_count, as_positive
from tfpy.engine.errors import Words, argument_error
from tfpy.engine.warn import warn_user
from tfpy.layers.callbacks.base import CallbackList, CallbackRegistry, History, as_callbacks
from tfpy.layers.container import Container
from tfpy.layers.training import data_adapter as adapter
from tfpy.layers.training._camel import TrainableModelCamel
from tfpy.layers.training.batch_sources import ArrayBatches, BatchSource, DatasetBatches, as_dataset, warn_of_gaps
from tfpy.layers.training.compiling import judged_outputs, sharing_of
from tfpy.layers.training.fit_options import as_limit, held_out_part, refuse_with_a_dataset, reported
from tfpy.layers.training.loops import TrainingRun, Validation, test_loop
from tfpy.layers.training.optimizers import get_optimizer
from tfpy.layers.training.planned import StepPlans
from tfpy.layers.training.progress import displays
from tfpy.layers.training.sharing import Sharing
from tfpy.layers.training.steps import Batch, Compiled, labels_of, names_of, train_step

if TYPE_CHECKING:
    from tfpy.core.optimizers.base import Optimizer
    from tfpy.layers.model import LayersModel


class TrainableModel(TrainableModelCamel, Container):
    """A container that can be compiled, trained and evaluated.

    Attributes:
        loss: what `compile` was given as loss.
        metrics: what `compile` was given as metrics.
    """

    _elsewhere = OF_MODELS
    # What changes while a model is trained, or concerns other steps than those that were planned.
    passing = frozenset(("_compiled", "_stop_training", "_training", "loss", "metrics", "plans", "stop_training"))

    def configure(self) -> None:
        self.plans = StepPlans()
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
        distribute: Sharing | None = None,
    ) -> None:
        """Settle how the model is trained and judged. The reference lists the names: [names](names.md).

        Args:
            args: the options below as a dict.
            optimizer: a name ('sgd', 'adam', 'rmsprop', 'adagrad', 'adadelta', 'adamax'; beyond TF.js 'adamw' and
                'nadam'), or one of `tf.train`.
            loss: a name or a function of (labels, predictions); for several outputs one for all, a list, or a dict by
                output name.
            metrics: names or functions; for several outputs for all, or a dict by output name.
            loss_weights: without effect, as in TF.js.
            distribute: `tf.distribute.mpi()`, for several processes that train the model together (beyond TF.js).

        Raises:
            ValueError, TypeError: an unknown name, or a loss for an output that does not exist; the model stays as it
                was.

        Source: TF.js `tf.LayersModel.compile`.
        """
        if not self.outputs:
            raise RuntimeError(f"compile: model {self.name} has no layers yet; add some first.")
        sharing = sharing_of(distribute, self.stateful)
        chosen = get_optimizer(optimizer)
        outputs = judged_outputs(self.output_names, self.graph.outputs, loss, metrics)
        self.plans.clear()
        self._compiled = Compiled(chosen, outputs, labels_of(outputs), self.trainable_weights, sharing)
        self.loss, self.metrics = loss, metrics

    def _needs_compiling(self, where: str) -> Compiled:
        if self._compiled is None:
            raise RuntimeError(f"{where}: compile the model first, with model.compile(optimizer=…, loss=…).")
        # What callbacks ask for while the model is trained is not asked for by all processes.
        return self._compiled._replace(sharing=None) if self._training else self._compiled

    @property
    def optimizer(self) -> Any:
        """The optimizer; None before `compile`."""
        return None if self._compiled is None else self._compiled.optimizer

    @optimizer.setter
    def optimizer(self, optimizer: Optimizer) -> None:
        self._needs_compiling("optimizer")
        self._compiled = cast("Compiled", self._compiled)._replace(optimizer=get_optimizer(optimizer))

    def _optimizer_for(self, compiled: Compiled) -> Optimizer:
        """The optimizer for what the model was compiled for: one that a callback has set serves from the next step on.

        After another `compile` it is the one of before, until the next `fit`.
        """
        current = self._compiled
        same = current is not None and current.outputs is compiled.outputs
        found: Optimizer = current.optimizer if current is not None and same else compiled.optimizer
        return found

    @property
    def metrics_names(self) -> list[str]:
        """The names of what `evaluate` and `train_on_batch` return."""
        return [] if self._compiled is None else names_of(self._compiled.outputs)

    # Training

    @accepts_options("args")
    def fit(
        self,
        x: Any,
        y: Any = None,
        args: Mapping[str, Any] | None = None,
        *,
        batch_size: int = 32,
        epochs: int = 1,
        verbose: int = 1,
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool | str = True,
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
            x: the inputs: a tensor or array, a list of them, or a dict by input name. Or, beyond TF.js, what
                `fit_dataset` takes: a data set, an iterator or a generator function.
            y: the labels, likewise by output; left out with a data set.
            args: the options below as a dict.
            batch_size: how many samples make a step; the batches of a data set are what they are.
            epochs: the number of the last epoch, counted from 1.
            verbose: 0 for silence, 1 for a bar, or a line that changes in a notebook, 2 for a line each epoch.
            callbacks: callbacks, or dicts of functions.
            validation_split: the part of the samples, taken from the end, that is not trained on but evaluated.
            validation_data: (x, y) to evaluate after each epoch; or a data set (beyond TF.js).
            shuffle: whether each epoch takes the samples in another order; 'batch': the batches, whose samples stay
                together (beyond TF.js). A data set does as it likes.
            class_weight: by class, how much its samples count; for several outputs a list, or a dict by output name.
            sample_weight: how much each sample counts, one number for each (beyond TF.js).
            initial_epoch: the epoch to begin with, when training goes on.
            steps_per_epoch: how many batches of a data set make an epoch; without effect on arrays, as in TF.js.
            validation_steps: how many batches of validation data to look at, if those are a data set.
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
        if as_dataset(x) is not None:
            split = validation_split or None
            refuse_with_a_dataset(y=y, validation_split=split, sample_weight=sample_weight, seed=seed)
            return self.fit_dataset(
                x,
                batches_per_epoch=steps_per_epoch,
                epochs=epochs,
                verbose=verbose,
                callbacks=callbacks,
                validation_data=validation_data,
                validation_batch_size=batch_size,
                validation_batches=validation_steps,
                class_weight=class_weight,
                initial_epoch=initial_epoch,
                yield_every=yield_every,
            )
        size = as_positive("fit", "batch_size", batch_size)
        epochs, first = as_count("fit", "epochs", epochs), as_count("fit", "initial_epoch", initial_epoch)
        if not rng.may_seed(seed):
            raise argument_error("fit", "seed", "a number or a text", seed, TypeError)
        if shuffle not in (True, False, "batch"):
            raise argument_error("fit", "shuffle", "True, False or 'batch'", shuffle)
        listeners = as_callbacks(callbacks, yield_every)
        with self._only_fit(), tidy():
            data = self._batch("fit", compiled, x, y, class_weight, sample_weight, size)
            if validation_data is None:
                data, held_out = held_out_part(data, validation_split)
                if self.stateful and data.size % size:
                    expected = f"such that full batches of {size} are left, since the model is stateful"
                    raise argument_error("fit", "validation_split", expected, Words(f"{data.size} samples left"))
                validation = None if held_out is None else self._validation_on(compiled, held_out, size)
            else:
                validation = self._validation("fit", compiled, validation_data, size, validation_steps)
            source = ArrayBatches(data, size, shuffle, seed)
            return self._train("fit", compiled, source, range(first, epochs), validation, verbose, listeners, first)

    @accepts_options("args")
    def fit_dataset(
        self,
        dataset: Any,
        args: Mapping[str, Any] | None = None,
        *,
        epochs: int | None = None,
        batches_per_epoch: int | None = None,
        verbose: int = 1,
        callbacks: Any = None,
        validation_data: Any = None,
        validation_batch_size: int = 32,
        validation_batches: int | None = None,
        validation_split: float | None = None,
        yield_every: Any = "auto",
        initial_epoch: int = 0,
        class_weight: Any = None,
    ) -> History:
        """Train the model on the batches of a data set.

        Args:
            dataset: a data set of batches; or, beyond TF.js, an iterator, which can be read only once, or a generator
                function. A batch is {'xs': inputs, 'ys': labels} or a tuple (inputs, labels), to which weights of the
                samples may be added. Its tensors are disposed after use, except those of an iterator.
            args: the options below as a dict.
            epochs: the number of the last epoch, counted from 1; required.
            batches_per_epoch: how many batches make an epoch. All epochs then read one stream, which must have enough
                of them: `dataset.repeat()` has. By default an epoch is one pass.
            verbose: 0 for silence, 1 for a bar, or a line that changes in a notebook, 2 for a line each epoch.
            callbacks: callbacks, or dicts of functions.
            validation_data: what to evaluate after each epoch: a data set of batches, or (x, y).
            validation_batch_size: how many samples of (x, y) are evaluated at a time.
            validation_batches: how many batches of a validation data set to look at; all by default.
            validation_split: not for data sets; `dataset.take` and `skip` split one.
            yield_every: how often callbacks' on_yield is called: 'auto', milliseconds, 'batch', 'epoch' or 'never'.
            initial_epoch: the epoch to begin with, when training goes on.
            class_weight: by class, how much its samples count; for several outputs a list, or a dict by output name.

        Returns:
            The losses and metrics of each epoch; it may be awaited. When training was stopped in the middle of a pass,
            or the data set had too few batches, the epoch has no validation.

        Raises:
            ValueError, TypeError: a batch or an option that does not fit.
            RuntimeError: the model is not compiled, has nothing to train, or is training already.

        Source: TF.js `tf.LayersModel.fitDataset`.
        """
        where = "fit_dataset"
        compiled = self._needs_compiling(where)
        count, limit = as_positive(where, "epochs", epochs), as_limit(where, "batches_per_epoch", batches_per_epoch)
        first = as_count(where, "initial_epoch", initial_epoch)
        if validation_split:
            raise argument_error(where, "validation_split", "left out; use validation_data", validation_split)
        listeners = as_callbacks(callbacks, yield_every)
        with self._only_fit():
            size = as_positive(where, "validation_batch_size", validation_batch_size)
            validation = self._validation(where, compiled, validation_data, size, validation_batches)
            source = self._batches(where, compiled, dataset, "batches_per_epoch", limit, count, class_weight)
            return self._train(where, compiled, source, range(first, count), validation, verbose, listeners, None)

    def _train(
        self,
        where: str,
        compiled: Compiled,
        source: BatchSource,
        epochs: range,
        validation: Validation | None,
        verbose: int,
        listeners: list[Any],
        initial_epoch: int | None,
    ) -> History:
        compiled.trained(where)
        if len(self.trainable_weights) != len(compiled.weights):
            warn_user(
                f"{where}: {len(self.trainable_weights)} weights are trainable, but {len(compiled.weights)} were when "
                f"the model was compiled: `trainable` has been set since. Compile the model again for that to count."
            )
        verbose = int(verbose) if isinstance(verbose, bool) else as_count(where, "verbose", verbose)
        history = History()
        shown = displays(verbose)
        told, sharing = [*shown, *CallbackRegistry.made_for(verbose), *listeners, history], compiled.sharing
        calls = CallbackList(told) if sharing is None else sharing.callbacks(told, history)
        validated = [] if validation is None else [f"val_{label}" for label in compiled.labels]
        calls.set_params(
            {
                "epochs": epochs.stop,
                "initial_epoch": initial_epoch,
                "samples": source.samples,
                "steps": source.steps,
                "batch_size": source.batch_size,
                "verbose": verbose,
                "do_validation": validation is not None,
                "metrics": [*compiled.labels, *validated],
            }
        )
        calls.set_model(cast("LayersModel", self))
        try:
            TrainingRun(self, compiled, source, epochs, validation, calls).train()
            warn_of_gaps(where, source, history.history.get("loss", []))
        finally:
            for display in shown:
                display.close()
        return history

    @property
    def stop_training(self) -> bool:
        """Whether training is to end after the current batch; callbacks set it.

        Source: TF.js `tf.LayersModel.stopTraining`.
        """
        return self._stop_training

    @stop_training.setter
    def stop_training(self, stop: bool) -> None:
        self._stop_training = stop

    @contextmanager
    def _only_fit(self) -> Iterator[None]:
        if self._training:
            raise RuntimeError("fit: the model is being trained already.")
        try:
            self._training = True
            yield
        finally:
            self._training = False

    def train_on_batch(self, x: Any, y: Any) -> Any:
        """One step of the optimizer on a batch.

        Returns:
            The loss before the step, a number; a list of it and the metrics if there are any. It may be awaited.

        Source: TF.js `tf.LayersModel.trainOnBatch`.
        """
        compiled = self._needs_compiling("train_on_batch")
        with tidy():
            batch = self._batch("train_on_batch", compiled, x, y, None, None, None)
            found = train_step(self, compiled, batch, compiled.trained("train_on_batch"))
            values = [ReadyFloat(value.data_sync()[0]) for value in found]
        return values[0] if len(values) == 1 else ReadyList(values)

    # Data

    def _batch(
        self,
        where: str,
        compiled: Compiled,
        x: Any,
        y: Any,
        class_weight: Any,
        sample_weight: Any,
        size: int | None,
        from_dataset: bool = False,
    ) -> Batch:
        """All samples as tensors, checked against the model."""
        inputs = self._inputs(where, x)
        shapes = [t.shape for t in self.outputs]
        functions = [output.loss for output in compiled.outputs]
        targets = adapter.standardize_targets(where, y, self.output_names, functions, shapes, from_dataset)
        adapter.check_lengths(where, inputs, targets)
        adapter.check_targets(where, targets, functions, shapes)
        if self.stateful and size is not None and inputs[0].shape[0] % size:
            expected = f"as many samples as full batches of {size} take, since the model is stateful"
            raise argument_error(where, "x", expected, inputs[0])
        weights = adapter.sample_weights(where, class_weight, sample_weight, self.output_names, targets)
        return Batch(inputs, targets, weights)

    def _inputs(self, where: str, x: Any, argument: str = "x") -> list[Tensor]:
        inputs = self.graph.inputs
        return adapter.standardize(
            where, argument, x, self.input_names, [t.shape for t in inputs], [t.dtype for t in inputs]
        )

    def _batches(
        self,
        where: str,
        compiled: Compiled,
        given: Any,
        option: str,
        limit: int | None,
        epochs: int = 1,
        class_weight: Any = None,
    ) -> DatasetBatches:
        """The batches of a data set."""
        dataset = as_dataset(given)
        if dataset is None:
            raise argument_error(where, "dataset", "a data set, an iterator or a generator function", given, TypeError)
        if limit is None and getattr(dataset, "size", None) == math.inf:
            warn_user(f"{where}: the data set has no end; give {option}, if nothing else stops it.")

        def standardize(element: Any) -> Batch:
            x, y, weight = adapter.parts_of(where, element)
            return self._batch(where, compiled, x, y, class_weight, weight, None, from_dataset=True)

        def short(count: int) -> str:
            return (
                f"{where}: {option} is {limit}, but the data set ended after batch {count}. It must have "
                f"{(limit or 0) * epochs} batches in all; dataset.repeat() makes it go on."
            )

        return DatasetBatches(dataset, standardize, limit, short)

    def _validation(
        self, where: str, compiled: Compiled, given: Any, size: int, batches: int | None
    ) -> Validation | None:
        """What gives the loss and metrics of validation data: a data set, or (x, y)."""
        if given is None:
            return None
        if as_dataset(given) is not None:
            limit = as_limit(where, "validation_batches", batches)
            source = self._batches(where, compiled, given, "validation_batches", limit)
            return Validation(lambda: test_loop(self, compiled, source.once()), source.skip)
        x, y = adapter.validation(given)
        return self._validation_on(
            compiled, self._batch(f"{where}, validation_data", compiled, x, y, None, None, size), size
        )

    def _validation_on(self, compiled: Compiled, data: Batch, size: int) -> Validation:
        return Validation(lambda: test_loop(self, compiled, ArrayBatches(data, size).epoch()))

    # Evaluating

    @accepts_options("args")
    def evaluate(
        self,
        x: Any,
        y: Any = None,
        args: Mapping[str, Any] | None = None,
        *,
        batch_size: int = 32,
        verbose: int = 0,
        sample_weight: Any = None,
        steps: int | None = None,
    ) -> Any:
        """Loss and metrics for given samples, without the losses of regularizers.

        Args:
            x: the inputs; or, beyond TF.js, what `evaluate_dataset` takes.
            y: the labels; left out with a data set.
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
        if as_dataset(x) is not None:
            refuse_with_a_dataset(y=y, sample_weight=sample_weight)
            return self.evaluate_dataset(x, batches=steps, verbose=verbose)
        size = as_positive("evaluate", "batch_size", batch_size)

        def values() -> list[Tensor]:
            data = self._batch("evaluate", compiled, x, y, None, sample_weight, size)
            if steps is not None:
                data = data.batch(0, min(data.size, as_positive("evaluate", "steps", steps) * size))
            return test_loop(self, compiled, ArrayBatches(data, size).epoch())

        return reported(compiled, tidy(values), verbose)

    @accepts_options("args")
    def evaluate_dataset(
        self, dataset: Any, args: Mapping[str, Any] | None = None, *, batches: int | None = None, verbose: int = 0
    ) -> Any:
        """Loss and metrics for the batches of a data set: the means, weighted by the sizes of the batches.

        Args:
            dataset: as for `fit_dataset`; or a stream, of which no more is read than is needed.
            args: the options below as a dict.
            batches: how many batches to look at; all by default.
            verbose: 1 prints what is found (beyond TF.js).

        Returns:
            The loss, a scalar; a list of it and the metrics if there are any, in the order of `metrics_names`.

        Raises:
            ValueError, TypeError: a batch that does not fit, or none at all. RuntimeError: the model is not compiled.

        Source: TF.js `tf.LayersModel.evaluateDataset`.
        """
        where = "evaluate_dataset"
        compiled = self._needs_compiling(where)
        limit = as_limit(where, "batches", batches)
        batches_of = self._batches(where, compiled, dataset, "batches", limit)
        return reported(compiled, test_loop(self, compiled, batches_of.once()), verbose)
