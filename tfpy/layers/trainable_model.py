"""TrainableModel: a container that can be compiled, trained, evaluated and used for prediction.

Its methods are the public interface; the functions in `training` implement them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from tfpy.core.calling.options import accepts_options
from tfpy.core.plans import Plans
from tfpy.engine import rng
from tfpy.engine.handle import accounting
from tfpy.engine.warn import warn_user
from tfpy.layers._camel import TrainableModelCamel
from tfpy.layers.callbacks.history import History
from tfpy.layers.container import Container
from tfpy.layers.training import compiling, evaluating, fitting, predicting
from tfpy.layers.training.compile_config import CompileConfig, metrics_names
from tfpy.layers.training.fit_options import BATCH_SIZE, FitDatasetOptions, FitOptions
from tfpy.layers.training.optimizers import get_optimizer
from tfpy.layers.training.strategy import Strategy
from tfpy.layers.training.training_state import TrainingState, compiled_of
from tfpy.layers.weights import DisposeResult

if TYPE_CHECKING:
    from tfpy.core.optimizers.base import Optimizer


class TrainableModel(TrainableModelCamel, Container):
    """The part of `LayersModel` that is about training. Its attributes are described there."""

    # State that changes during training, or does not affect the planned steps.
    transient = Container.transient | {
        "_stop_training", "training_state", "loss", "metrics", "output_weights", "plans", "stop_training"
    }  # fmt: skip

    def configure(self) -> None:
        self.plans = Plans()
        self.training_state = TrainingState()
        self._stop_training = False
        self.loss: Any = None
        self.metrics: Any = None
        self.output_weights: Any = None
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
        output_weights: Any = None,
        distribute: Strategy | None = None,
    ) -> None:
        """Set the optimizer, the loss and the metrics of the model. The reference lists the names: [names](names.md).

        Args:
            args: the options below as a dict.
            optimizer: a name ('sgd', 'adam', 'rmsprop', 'adagrad', 'adadelta', 'adamax'; beyond TF.js 'adamw' and
                'nadam'), or one of `tf.train`.
            loss: a name or a function of (labels, predictions); for several outputs one for all, a list, or a dict by
                output name.
            metrics: names or functions; for several outputs, shared by all or a dict by output name.
            loss_weights: ignored with a warning, as in TF.js.
            output_weights: the weight of each output's loss in the model's loss: a list, or a dict by output name, in
                which missing outputs have weight 1; for a single output a number (beyond TF.js). The losses of the
                outputs are reported unweighted.
            distribute: `tf.distribute.mpi()`, for several processes that train the model together (beyond TF.js).

        Raises:
            ValueError, TypeError: an unknown name, or a loss for an output that does not exist; the model is left
                unchanged.

        Source: TF.js `tf.LayersModel.compile`.
        """
        if loss_weights is not None:
            warn_user("compile: loss_weights have no effect, as in TF.js; use output_weights.")
        compiled = compiling.compile_model(self, optimizer, loss, metrics, output_weights, distribute)
        self.plans.clear()
        self.training_state.compiled, self.training_state.loaded_optimizer = compiled, None
        self.loss, self.metrics, self.output_weights = loss, metrics, output_weights

    @property
    def optimizer(self) -> Any:
        """The optimizer; None before `compile`, unless a file whose loss is unknown here was loaded with one."""
        return self.training_state.optimizer

    @optimizer.setter
    def optimizer(self, optimizer: Optimizer) -> None:
        compiled_of(self, "optimizer")
        compiled = cast("CompileConfig", self.training_state.compiled)
        owned = compiled.owns_optimizer and optimizer is compiled.optimizer
        self.training_state.compiled = compiled._replace(optimizer=get_optimizer(optimizer), owns_optimizer=owned)

    @property
    def metrics_names(self) -> list[str]:
        """The names of the values that `evaluate` and `train_on_batch` return."""
        compiled = self.training_state.compiled
        return [] if compiled is None else metrics_names(compiled.outputs)

    # Training

    @accepts_options("args")
    def fit(
        self,
        x: Any,
        y: Any = None,
        args: Mapping[str, Any] | None = None,
        *,
        batch_size: int = BATCH_SIZE,
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
            batch_size: the number of samples per step; not for a data set, which has its own batches.
            epochs: the number of the last epoch, counted from 1.
            verbose: 0 for silent, 1 for a progress bar (one updated line in a notebook), 2 for one line per epoch.
            callbacks: callbacks, or dicts of functions.
            validation_split: the fraction of the samples, taken from the end, that is held out for validation.
            validation_data: (x, y) to evaluate after each epoch; beyond TF.js, (x, y, sample_weight) or a data set.
            shuffle: whether to reorder the samples in each epoch; 'batch' shuffles whole batches, whose samples stay
                together (beyond TF.js). Ignored for a data set.
            class_weight: the weight of the samples of each class; for several outputs a list, or a dict by output name.
            sample_weight: one weight for each sample; for several outputs also a list with such weights for each
                output, or a dict by output name (beyond TF.js). They apply to the held-out samples too.
            initial_epoch: the epoch to start from when resuming training.
            steps_per_epoch: the number of batches of a data set per epoch; ignored for arrays, as in TF.js.
            validation_steps: how many batches to evaluate if the validation data is a data set.
            yield_every: how often callbacks' on_yield is called: 'auto', milliseconds, 'batch', 'epoch' or 'never'.
            seed: makes the order of the samples repeatable (beyond TF.js).

        Returns:
            The losses and metrics of each epoch; it may be awaited.

        Raises:
            ValueError, TypeError: data or options that do not fit; the model is unchanged.
            RuntimeError: the model is not compiled, has nothing to train, or is training already.

        Source: TF.js `tf.LayersModel.fit`.
        """
        options = FitOptions(
            batch_size=batch_size,
            epochs=epochs,
            verbose=verbose,
            callbacks=callbacks,
            validation_split=validation_split,
            validation_data=validation_data,
            shuffle=shuffle,
            class_weight=class_weight,
            sample_weight=sample_weight,
            initial_epoch=initial_epoch,
            steps_per_epoch=steps_per_epoch,
            validation_steps=validation_steps,
            yield_every=yield_every,
            seed=seed,
        )
        return fitting.fit(self, x, y, options)

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
        validation_batch_size: int = BATCH_SIZE,
        validation_batches: int | None = None,
        validation_split: float | None = None,
        yield_every: Any = "auto",
        initial_epoch: int = 0,
        class_weight: Any = None,
    ) -> History:
        """Train the model on the batches of a data set.

        Args:
            dataset: a data set of batches; or, beyond TF.js, an iterator, which can be read only once, or a generator
                function. A batch is {'xs': inputs, 'ys': labels} or a tuple (inputs, labels), to which sample weights
                may be added. Its tensors are disposed after use, except those of an iterator.
            args: the options below as a dict.
            epochs: the number of the last epoch, counted from 1; required.
            batches_per_epoch: the number of batches per epoch. All epochs then read one stream, which must be long
                enough, such as `dataset.repeat()`. By default an epoch is one pass.
            verbose: 0 for silent, 1 for a progress bar (one updated line in a notebook), 2 for one line per epoch.
            callbacks: callbacks, or dicts of functions.
            validation_data: the data to evaluate after each epoch: a data set of batches, (x, y) or (x, y,
                sample_weight).
            validation_batch_size: the batch size for validation data given as arrays.
            validation_batches: how many batches of a validation data set to evaluate; all by default.
            validation_split: not supported for data sets; split one with `dataset.take` and `skip`.
            yield_every: how often callbacks' on_yield is called: 'auto', milliseconds, 'batch', 'epoch' or 'never'.
            initial_epoch: the epoch to start from when resuming training.
            class_weight: the weight of the samples of each class; for several outputs a list, or a dict by output name.

        Returns:
            The losses and metrics of each epoch; it may be awaited. If training was stopped in the middle of a pass, or
            the data set had too few batches, that epoch has no validation.

        Raises:
            ValueError, TypeError: a batch or an option that does not fit.
            RuntimeError: the model is not compiled, has nothing to train, or is training already.

        Source: TF.js `tf.LayersModel.fitDataset`.
        """
        options = FitDatasetOptions(
            epochs=epochs,
            batches_per_epoch=batches_per_epoch,
            verbose=verbose,
            callbacks=callbacks,
            validation_data=validation_data,
            validation_batch_size=validation_batch_size,
            validation_batches=validation_batches,
            validation_split=validation_split,
            yield_every=yield_every,
            initial_epoch=initial_epoch,
            class_weight=class_weight,
        )
        return fitting.fit_dataset(self, dataset, options)

    def train_on_batch(self, x: Any, y: Any) -> Any:
        """One step of the optimizer on a batch.

        Returns:
            The loss before the step, a number; with metrics, a list of the loss and the metrics. It may be awaited.

        Source: TF.js `tf.LayersModel.trainOnBatch`.
        """
        return fitting.train_on_batch(self, x, y)

    @property
    def stop_training(self) -> bool:
        """Whether to stop training after the current batch; set by callbacks.

        Source: TF.js `tf.LayersModel.stopTraining`.
        """
        return self._stop_training

    @stop_training.setter
    def stop_training(self, stop: bool) -> None:
        self._stop_training = stop

    # Evaluating

    @accepts_options("args")
    def evaluate(
        self,
        x: Any,
        y: Any = None,
        args: Mapping[str, Any] | None = None,
        *,
        batch_size: int = BATCH_SIZE,
        verbose: int = 0,
        sample_weight: Any = None,
        steps: int | None = None,
    ) -> Any:
        """Loss and metrics for the given samples, without regularization losses.

        Args:
            x: the inputs; or, beyond TF.js, what `evaluate_dataset` takes.
            y: the labels; left out with a data set.
            args: the options below as a dict.
            batch_size: the number of samples per batch; left out with a data set.
            verbose: 1 prints the results.
            sample_weight: the weight of each sample in the loss, as for `fit` (beyond TF.js).
            steps: how many batches to evaluate; all by default (beyond TF.js).

        Returns:
            The loss, a scalar; with metrics, a list of the loss and the metrics, in the order of `metrics_names`.

        Source: TF.js `tf.LayersModel.evaluate`.
        """
        return evaluating.evaluate(
            self, x, y, batch_size=batch_size, verbose=verbose, sample_weight=sample_weight, steps=steps
        )

    @accepts_options("args")
    def evaluate_dataset(
        self, dataset: Any, args: Mapping[str, Any] | None = None, *, batches: int | None = None, verbose: int = 0
    ) -> Any:
        """Loss and metrics for the batches of a data set: means weighted by the batch sizes.

        Args:
            dataset: as for `fit_dataset`; or a stream, of which only the required batches are read.
            args: the options below as a dict.
            batches: how many batches to evaluate; all by default.
            verbose: 1 prints the results (beyond TF.js).

        Returns:
            The loss, a scalar; with metrics, a list of the loss and the metrics, in the order of `metrics_names`.

        Raises:
            ValueError, TypeError: a batch that does not fit, or no batch. RuntimeError: the model is not compiled.

        Source: TF.js `tf.LayersModel.evaluateDataset`.
        """
        return evaluating.evaluate_dataset(self, dataset, batches=batches, verbose=verbose)

    # Predicting

    @accepts_options("args")
    def predict(
        self, x: Any, args: Mapping[str, Any] | None = None, *, batch_size: int = BATCH_SIZE, verbose: int = 0
    ) -> Any:
        """The outputs for the given inputs.

        Args:
            x: the inputs: a tensor or array, a list of them, or a dict by input name.
            args: the options below as a dict.
            batch_size: the number of samples per batch.
            verbose: ignored, as in TF.js.

        Returns:
            A tensor, or a list of them for several outputs.

        Source: TF.js `tf.LayersModel.predict`.
        """
        return predicting.predict(self, x, batch_size)

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for the given inputs, computed in one batch.

        Source: TF.js `tf.LayersModel.predictOnBatch`.
        """
        return predicting.predict_on_batch(self, x)

    @accepts_options()
    def execute(self, inputs: Any, outputs: str | Sequence[str]) -> Any:
        """The values of symbolic tensors within the model, such as the outputs of inner layers.

        Args:
            inputs: a tensor, a list with one for each input of the model, or a dict by the names of `model.inputs`.
            outputs: the name of a symbolic tensor (`layer.output.name`), or a list of names.

        Returns:
            A tensor for a name, a list of tensors for a list.

        Raises:
            ValueError: no symbolic tensor has that name, no name is given, or an input has no tensor.

        Source: TF.js `tf.LayersModel.execute`.
        """
        return predicting.execute(self, inputs, outputs)

    def dispose(self) -> DisposeResult:
        """Release layers and nested models, whose weights are freed once no other model uses them; then also the
        optimizer's slots, if `compile` was given its name.

        Source: TF.js `tf.LayersModel.dispose`.
        """
        result = super().dispose()
        if result.ref_count_after_dispose:
            return result
        self.plans.clear()
        compiled = self.training_state.compiled
        before = accounting.tensors
        if compiled is not None and compiled.owns_optimizer:
            compiled.optimizer.dispose()
        return DisposeResult(0, result.num_disposed_variables + before - accounting.tensors)
