"""LayersModel: a container that can be compiled, trained, evaluated, used for prediction and saved.

Its methods are the public interface; the functions in `training` and `saving` implement them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from tfpy.core.calling.constructing import constructed
from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.ready import Ready, ReadyNone
from tfpy.core.calling.registry import export
from tfpy.core.io.artifacts import SaveResult
from tfpy.core.io.errors import object_in
from tfpy.core.naming.elsewhere import OF_MODELS
from tfpy.core.plans import Plans
from tfpy.core.results import NamedTensor
from tfpy.engine import rng
from tfpy.engine.arguments import as_function
from tfpy.engine.errors import argument_error
from tfpy.engine.printable import put
from tfpy.engine.warn import warn_user
from tfpy.layers._camel import LayersModelCamel
from tfpy.layers.callbacks.history import History
from tfpy.layers.container import Container
from tfpy.layers.declared import REQUIRED
from tfpy.layers.registry import register
from tfpy.layers.saving import writing
from tfpy.layers.saving.rebuild import rebuild
from tfpy.layers.saving.weight_loading import load_weights
from tfpy.layers.saving.weight_names import named_values
from tfpy.layers.summary import summary_html, summary_lines
from tfpy.layers.training import compiling, evaluating, fitting, predicting
from tfpy.layers.training.compile_config import CompileConfig, metrics_names
from tfpy.layers.training.fit_options import BATCH_SIZE, FitDatasetOptions, FitOptions
from tfpy.layers.training.optimizers import get_optimizer
from tfpy.layers.training.strategy import Strategy
from tfpy.layers.training.training_state import TrainingState, compiled_of

if TYPE_CHECKING:
    from tfpy.core.optimizers.base import Optimizer


@export(doc="Models / Classes")
class LayersModel(LayersModelCamel, Container, Ready, class_name="Model"):
    """A model of layers, from symbolic inputs to outputs. It may be awaited, like the functions that load one.

    Args:
        inputs: the symbolic inputs, made by `tf.input`.
        outputs: the symbolic outputs.
        name: the model's name; numbered by default.
        trainable: whether training changes the weights.

    Attributes:
        loss: the loss that was passed to `compile`.
        metrics: the metrics that were passed to `compile`.
        output_weights: the output_weights that were passed to `compile` (beyond TF.js).
        metrics_names: the names of the values that `evaluate` and `train_on_batch` return.

    Source: TF.js `tf.LayersModel`.
    """

    _elsewhere = OF_MODELS
    # State that changes during training, or does not affect the planned steps.
    transient = frozenset(
        {"_stop_training", "training_state", "loss", "metrics", "output_weights", "plans", "stop_training"}
    )
    name_prefix: ClassVar[str] = "model"
    takes_custom_objects = True
    _metadata: dict[str, Any] | None = None

    if TYPE_CHECKING:  # the options as editors and the reference show them; a subclass may have more

        def __init__(
            self,
            config: Mapping[str, Any] | None = None,
            /,
            *,
            inputs: Any = REQUIRED,
            outputs: Any = REQUIRED,
            name: str | None = None,
            trainable: bool = True,
            **options: Any,
        ) -> None: ...

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
        self.training_state.compiled = compiled._replace(optimizer=get_optimizer(optimizer))

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
            batch_size: the number of samples per batch.
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

    # Saving

    @accepts_options()
    def to_json(self, unused: Any = None, return_string: bool = True) -> Any:
        """The topology in the format of TF.js and Keras, without weights.

        Args:
            unused: ignored, as in TF.js.
            return_string: whether to return a JSON string instead of a dict.

        Source: TF.js `tf.LayersModel.toJSON`.
        """
        text = writing.to_json(self)
        return text if return_string else json.loads(text)

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Self:
        """A model from a configuration as in `get_config`, or in a file of TF.js, Keras 2 or Keras 3.

        Args:
            config: {'name', 'layers', 'input_layers', 'output_layers'}.
            custom_objects: classes by name, looked up before the registered ones.

        Raises:
            ValueError: a layer cannot be created or connected; the message names it.
        """
        options = object_in("model", "config", config)
        inputs, outputs = rebuild(options, custom_objects)
        return constructed(cls, {"inputs": inputs, "outputs": outputs, "name": options.get("name")})

    @accepts_options("config")
    def save(
        self,
        handler_or_url: Any,
        config: Mapping[str, Any] | None = None,
        *,
        trainable_only: bool = False,
        include_optimizer: bool = False,
        strict: bool | None = None,
        quantize: str | None = None,
    ) -> SaveResult:
        """Save the model: its topology and weights.

        Args:
            handler_or_url: a folder, to which model.json and weights.bin are written; a path that ends with '.json' or
                '.zip', or, beyond TF.js, with Keras's '.keras' or '.h5' (extra `keras`), or '.onnx' (extra `onnx`); a
                URL (file://, http(s)://, localstorage://); or a handler of `tf.io`. An existing model is only replaced
                once the new one is complete.
            config: the options below as a dict.
            trainable_only: whether to leave out non-trainable weights.
            include_optimizer: whether to save the compile configuration and the state of the optimizer too.
            strict: True raises an error and saves nothing if TF.js 4.22 would reject the model in a browser, or Keras
                one of its files; by default there is a warning; False does not check (beyond TF.js). What an ONNX file
                cannot represent is always an error.
            quantize: 'float16', 'uint16' or 'uint8' stores weights, rounded, in half or a quarter of the bytes, as the
                TF.js converter does; not those of the optimizer (beyond TF.js, which can read such files).

        Returns:
            The handler's result, with `model_artifacts_info`; it may be awaited.

        Raises:
            ValueError: an invalid destination, or a part of the model that cannot be saved.

        Source: TF.js `tf.LayersModel.save`.
        """
        return writing.save(
            self,
            handler_or_url,
            trainable_only=trainable_only,
            include_optimizer=include_optimizer,
            strict=strict,
            quantize=quantize,
        )

    @accepts_options("config")
    def get_named_weights(
        self, config: Mapping[str, Any] | None = None, *, trainable_only: bool = False
    ) -> list[NamedTensor]:
        """The weights as a list of records (name, tensor), in the order of `weights`, with the names used in files.

        Args:
            config: the option below as a dict.
            trainable_only: whether to leave out the non-trainable ones.

        Source: TF.js `tf.LayersModel.getNamedWeights`.
        """
        return named_values(self, trainable_only)

    def save_weights(self, path: str | os.PathLike[str]) -> ReadyNone:
        """Write the weights alone (beyond TF.js); `load_weights` reads them.

        Args:
            path: a file that ends with '.safetensors' (extra `safetensors`), which stores them by name, or with
                '.weights.h5' (extra `keras`), as in Keras 3.

        Returns:
            Nothing; it may be awaited.

        Raises:
            ValueError: another ending. ImportError: the extra is not installed.
        """
        return writing.save_weights(self, path)

    @accepts_options()
    def load_weights(self, weights: Any, strict: bool = True) -> None:
        """Assign values to the weights by name. Beyond TF.js, the numbers in automatic layer names (`dense_Dense7`)
        matter only by their order, so that weights fit another model built from the same layers.

        Args:
            weights: tensors by name, or a list of {'name', 'tensor'}. Beyond TF.js, the path, URL or handler of a saved
                model, of which only the weights are read; a `.safetensors` file; or a Keras file.
            strict: whether every weight must have a value, and every value a weight.

        Raises:
            ValueError: values without weights or weights without values (if strict), or a shape or dtype that does not
                fit; no weight is changed then.

        Source: TF.js `tf.LayersModel.loadWeights`.
        """
        load_weights(self, weights, strict)

    def set_user_defined_metadata(self, user_defined_metadata: Mapping[str, Any]) -> None:
        """Set metadata that is saved with the model: plain data, at most 1 MB.

        Source: TF.js `tf.LayersModel.setUserDefinedMetadata`.
        """
        self._metadata = writing.as_metadata(user_defined_metadata)

    def get_user_defined_metadata(self) -> dict[str, Any] | None:
        """The metadata that was set, or saved with the model; None if there is none.

        Source: TF.js `tf.LayersModel.getUserDefinedMetadata`.
        """
        return self._metadata

    # Looking

    @accepts_options()
    def summary(
        self,
        line_length: int | None = None,
        positions: Sequence[float] | None = None,
        print_fn: Callable[[str], Any] = print,
    ) -> None:
        """Print the layers, their output shapes and their parameter counts.

        Args:
            line_length: the width, in characters.
            positions: where the columns end, as fractions of the width or in characters.
            print_fn: called with each line.

        Source: TF.js `tf.LayersModel.summary`.
        """
        as_function("summary", "print_fn", print_fn)
        write = put if print_fn is print else print_fn
        for line in summary_lines(self, line_length, positions):
            write(line)

    def _repr_html_(self) -> str:
        return summary_html(self)


# Keras's name for a model of connected layers.
register(LayersModel, "Functional")


@export(doc="Models / Creation", options="args")
def model(
    args: Mapping[str, Any] | None = None, *, inputs: Any = None, outputs: Any = None, name: str | None = None
) -> LayersModel:
    """A model from symbolic inputs to symbolic outputs.

    Args:
        args: the options below as a dict.
        inputs: the symbolic inputs, made by `tf.input`.
        outputs: the symbolic outputs, computed from them by layers.
        name: the model's name; numbered by default.

    Source: TF.js `tf.model`.
    """
    for argument, value in (("inputs", inputs), ("outputs", outputs)):
        if value is None:
            raise argument_error("model", argument, "symbolic tensors", None)
    return LayersModel(inputs=inputs, outputs=outputs, name=name)
