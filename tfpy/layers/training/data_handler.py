"""DataHandler: creates batches from the data passed to `fit` and `evaluate`, and checks them against the model."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from tfpy.core.memory import tidy
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.engine.package import is_ours
from tfpy.engine.warn import warn_user
from tfpy.layers.symbolic import to_list
from tfpy.layers.training.batch import Batch
from tfpy.layers.training.batch_sources import ArrayBatches, DatasetBatches
from tfpy.layers.training.compile_config import CompileConfig
from tfpy.layers.training.data_adapter import check_indices, check_lengths, standardize
from tfpy.layers.training.dataset_options import BatchLimit
from tfpy.layers.training.datasets import as_dataset, missing_batches, short_data_advice
from tfpy.layers.training.loops import Validation, test_loop
from tfpy.layers.training.sample_weights import class_weights, sample_weights
from tfpy.layers.training.targets import check_targets, standardize_targets

if TYPE_CHECKING:
    from tfpy.layers.trainable_model import TrainableModel


def inputs_of(where: str, model: TrainableModel, x: Any, argument: str = "x") -> list[Tensor]:
    """The inputs of a model as tensors.

    Args:
        where: the method, for messages.
        model: the model.
        x: a tensor or array, a list of them, or a dict by input name.
        argument: its argument name, for messages.

    Raises:
        ValueError, TypeError: they do not fit the model.
    """
    entries = model.graph.inputs
    shapes, dtypes = [t.shape for t in entries], [t.dtype for t in entries]
    tensors = standardize(where, argument, x, model.input_names, shapes, dtypes)
    check_indices(where, argument, tensors, model.graph.index_counts)
    return tensors


class DataHandler(NamedTuple):
    """Creates batches of labeled data for one method of a compiled model.

    Attributes:
        where: the method, for messages.
        model: the model.
        compiled: the configuration set by `compile`.
    """

    where: str
    model: TrainableModel
    compiled: CompileConfig

    def arrays(
        self,
        x: Any,
        y: Any,
        size: int | None = None,
        sample_weight: Any = None,
        from_dataset: bool = False,
    ) -> Batch:
        """All samples as one batch.

        Args:
            x: the inputs.
            y: the labels.
            size: the batch size; None for a single batch.
            sample_weight: the weight of each sample; for all outputs, or in a list or a dict by output.
            from_dataset: whether they are an element of a data set.

        Raises:
            ValueError, TypeError: they do not fit the model.
        """
        where, model, compiled = self
        inputs = inputs_of(where, model, x)
        names, shapes = model.output_names, [t.shape for t in model.outputs]
        functions = [output.loss for output in compiled.outputs]
        try:
            targets = standardize_targets(where, y, names, functions, shapes, from_dataset)
        except ValueError:
            _warn_of_misdeclared_shapes(model, inputs)
            raise
        check_lengths(where, inputs, targets)
        check_targets(where, targets, functions, shapes)
        if size is not None and inputs[0].shape[0] % size and model.stateful:
            expected = f"of a number of samples divisible by {size}, since the model is stateful"
            raise argument_error(where, "x", expected, inputs[0])
        return Batch(inputs, targets, sample_weights(where, sample_weight, names, inputs[0].shape[0]))

    def with_class_weights(self, data: Batch, class_weight: Any) -> Batch:
        """The samples with their weights multiplied by those of their classes.

        Args:
            data: the samples.
            class_weight: the weight of the samples of each class; None for equal weights.

        Raises:
            ValueError, TypeError: they are not for the outputs, or not for all classes.
        """
        own = class_weights(self.where, class_weight, self.model.output_names, data.targets)
        return data._replace(weights=[_product(a, b) for a, b in zip(own, data.weights, strict=True)])

    def dataset(self, argument: str, given: Any, limit: BatchLimit, class_weight: Any = None) -> DatasetBatches:
        """The batches of a data set.

        Args:
            argument: the name of the method's argument, for messages.
            given: the data set, an iterator or a generator function.
            limit: how many batches to take.
            class_weight: the weight of the samples of each class.

        Raises:
            TypeError: any other value. Elements are checked when they are read.
            ValueError: it is infinite, and nothing would end the evaluation.
        """
        dataset = as_dataset(given)
        if dataset is None:
            expected = "a data set, an iterator or a generator function"
            raise argument_error(self.where, argument, expected, given, TypeError)
        if limit.batches is None and getattr(dataset, "size", None) == math.inf:
            if not limit.stoppable:
                raise argument_error(self.where, argument, f"finite, or {limit.option} set", Unquoted("infinite data"))
            warn_user(f"{self.where}: the data set is infinite; set {limit.option}, unless something else stops it.")

        def batch_of(element: Any) -> Batch:
            x, y, weight = _unpacked(self.where, argument, element)
            return self.with_class_weights(self.arrays(x, y, None, weight, from_dataset=True), class_weight)

        def too_few(found: int) -> str:
            return limit.too_few(self.where, found, short_data_advice(dataset))

        return DatasetBatches(self.where, argument, dataset, batch_of, limit.batches, too_few)

    def validation(self, given: Any, size: int, limit: BatchLimit, epochs: int) -> Validation | None:
        """The validation on given data.

        Args:
            given: a data set, or (x, y), optionally with sample weights; None for no validation.
            size: the batch size for such samples.
            limit: how many batches of a data set to evaluate.
            epochs: after how many epochs.

        Raises:
            ValueError, TypeError: they do not fit the model.
        """
        if given is None:
            return None
        reader = self._replace(where=f"{self.where}, validation_data")
        dataset = as_dataset(given)
        if dataset is not None:
            if epochs and (of := missing_batches(dataset, limit.batches, epochs)):
                raise argument_error(self.where, "validation_data", of, given)
            source = reader.dataset("dataset", given, limit)
            return Validation(lambda: test_loop(*reader, source.once()), source.skip)
        x, y, weights = _unpacked_validation(self.where, given)
        return self.validation_on(reader.arrays(x, y, size, sample_weight=weights), size)

    def validation_on(self, data: Batch, size: int) -> Validation:
        """The validation on samples that have been read."""
        return Validation(lambda: test_loop(*self, ArrayBatches(data, size).epoch()))


def _warn_of_misdeclared_shapes(model: TrainableModel, inputs: list[Tensor]) -> None:
    """Run a model with custom layers, which warns if these return other shapes than they say.

    The labels may fit what the model returns.
    """
    if not all(is_ours(type(layer)) for layer in model.layers) and all(t.shape[0] for t in inputs):
        with contextlib.suppress(Exception):  # the error about the labels comes first
            tidy(lambda: model.apply([t.slice([0], [1]) for t in inputs]))


def _product(a: Tensor | None, b: Tensor | None) -> Tensor | None:
    return a if b is None else b if a is None else a.mul(b)


def _unpacked_validation(where: str, data: Any) -> tuple[Any, Any, Any]:
    """x, y and the weights of the samples, which may be None, of validation data."""
    parts = to_list(data)
    if len(parts) not in (2, 3):
        raise argument_error(
            where,
            "validation_data",
            "(x, y), or (x, y, sample_weight)",
            Unquoted(f"{len(parts)} things") if isinstance(data, (list, tuple)) else data,
        )
    return parts[0], parts[1], parts[2] if len(parts) == 3 else None


def _unpacked(where: str, argument: str, element: Any) -> tuple[Any, Any, Any]:
    """The inputs, the labels and the weights, which may be None, of an element of a data set."""
    if isinstance(element, (tuple, list)) and len(element) in (2, 3):
        return element[0], element[1], element[2] if len(element) == 3 else None
    if isinstance(element, Mapping) and element.get("xs") is not None and element.get("ys") is not None:
        return element["xs"], element["ys"], None
    expected = "made of batches {'xs': inputs, 'ys': labels} or (inputs, labels)"
    raise argument_error(where, argument, expected, element)
