"""Creates the `CompileConfig` from the arguments of `compile`: optimizer, losses, metrics, strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tfpy.engine.arguments import as_number
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.engine.warn import warn_user
from tfpy.layers.symbolic import SymbolicTensor, to_list
from tfpy.layers.training.compile_config import CompileConfig, OutputConfig, log_names
from tfpy.layers.training.losses import get_loss
from tfpy.layers.training.metrics import metric_for_output
from tfpy.layers.training.optimizers import get_optimizer
from tfpy.layers.training.per_output import by_output
from tfpy.layers.training.strategy import Strategy

if TYPE_CHECKING:
    from tfpy.layers.trainable_model import TrainableModel


def compile_model(
    model: TrainableModel, optimizer: Any, loss: Any, metrics: Any, output_weights: Any, distribute: Any
) -> CompileConfig:
    """The configuration of a model for training; the model is not changed.

    Raises:
        RuntimeError: the model has no layers. ValueError, TypeError: an unknown name, or a loss for an output that does
            not exist, or the wrong number of weights.
    """
    if not model.outputs:
        raise RuntimeError(f"compile: model {model.name} has no layers yet; add some first.")
    strategy = _strategy_for(distribute, model.stateful)
    chosen = get_optimizer(optimizer)
    outputs = _output_configs(model.output_names, model.graph.outputs, loss, metrics, output_weights)
    owned = chosen is not optimizer
    return CompileConfig(chosen, outputs, log_names(outputs), model.trainable_weights, strategy, owned)


def _output_configs(
    names: Sequence[str], outputs: Sequence[SymbolicTensor], loss: Any, metrics: Any, output_weights: Any
) -> list[OutputConfig]:
    """The loss, its weight and the metrics of each output.

    Args:
        names: the outputs' names.
        outputs: the symbolic outputs.
        loss: a name or a function for all; a list; or a dict by output name.
        metrics: names or functions for all, or a dict by output name.
        output_weights: a list of numbers, or a dict by output name; for one output also a number.

    Raises:
        ValueError, TypeError: an unknown name, the wrong number of losses or weights, or an output that does not exist.
    """
    found = []
    named = _by_output_or_for_all("metrics", metrics, [], names)
    weights = _output_weights(output_weights, names)
    for i, (name, own) in enumerate(zip(names, _losses(loss, names), strict=True)):
        function = None if own is None else get_loss(own)
        shape = outputs[i].shape
        own_metrics = [metric_for_output(m, shape, function) for m in to_list(named[i])]
        found.append(OutputConfig(name, function, weights[i], own_metrics))
    return found


def _strategy_for(distribute: Any, stateful: bool) -> Strategy | None:
    """The strategy of several processes; None for a single process.

    Raises:
        ValueError: the model is stateful, and the states belong to the samples of whole batches.
        TypeError: it is not a strategy.
    """
    if distribute is None:
        return None
    if not isinstance(distribute, Strategy):
        raise argument_error("compile", "distribute", "the result of tf.distribute.mpi()", distribute, TypeError)
    if stateful and distribute.size > 1:
        expected = "omitted for a model that keeps states from batch to batch"
        raise argument_error("compile", "distribute", expected, distribute)
    return distribute if distribute.size > 1 else None


def _losses(loss: Any, names: Sequence[str]) -> list[Any]:
    if loss is None:
        raise argument_error("compile", "loss", "given: a name or a function of (labels, predictions)", None)
    if isinstance(loss, (list, tuple)):
        return _in_order("loss", loss, "loss", names)
    found = _by_output_or_for_all("loss", loss, None, names)
    for name in [n for n, own in zip(names, found, strict=True) if own is None]:
        warn_user(f"compile: output {name!r} has no loss, so it does not contribute to training.")
    return found


def _output_weights(given: Any, names: Sequence[str]) -> list[float]:
    """The weight of each output's loss; 1 by default."""
    if given is not None and len(names) == 1 and not isinstance(given, (list, tuple, Mapping)):
        given = [given]
    if isinstance(given, (list, tuple)):
        listed = _in_order("output_weights", given, "weight", names)
    elif given is None or isinstance(given, Mapping):
        listed = _by_output_or_for_all("output_weights", given, None, names)
    else:
        expected = f"a list, or a dict by output ({', '.join(names)})"
        raise argument_error("compile", "output_weights", expected, given, TypeError)
    return [1.0 if own is None else as_number("compile", "output_weights", own) for own in listed]


def _in_order(argument: str, given: Sequence[Any], each: str, names: Sequence[str]) -> list[Any]:
    """The entries of a list, one for each output."""
    if len(given) != len(names):
        expected = f"one {each} for each of the {len(names)} outputs"
        raise argument_error("compile", argument, expected, Unquoted(f"{len(given)} of them"))
    return list(given)


def _by_output_or_for_all(argument: str, given: Any, default: Any, names: Sequence[str]) -> list[Any]:
    """The value given for each output, by name or for all."""
    if not isinstance(given, Mapping):
        return [default if given is None else given] * len(names)
    return by_output("compile", argument, given, names, default)
