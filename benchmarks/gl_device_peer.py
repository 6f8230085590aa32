"""The same work in PyTorch on CUDA, for comparison; everything is None or empty if it is not installed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from timing import median_seconds

try:
    import torch

    if not torch.cuda.is_available():
        torch = None
except ImportError:
    torch = None


def name() -> str:
    """Its version and device, or '' if there is none."""
    return "" if torch is None else f"{torch.__version__} on {torch.cuda.get_device_name()}"


def seconds_of(function: Callable[[], object], seconds: float) -> float:
    """The median time of a call, with many of them in flight."""
    return median_seconds(function, torch.cuda.synchronize, seconds)


def tensors(shapes: Sequence[Sequence[int]]) -> list[Any] | None:
    """Random tensors."""
    return None if torch is None else [torch.rand(*shape, device="cuda") for shape in shapes]


KERNELS: dict[str, Callable[..., Any]] = {
    "relu": lambda a, b, c, v: a.relu(),
    "add": lambda a, b, c, v: a + b,
    "add of a row": lambda a, b, c, v: a + v,
    "tanh": lambda a, b, c, v: a.tanh(),
    "chain of 6": lambda a, b, c, v: torch.maximum((a - b).square() * c + a, b) + c,
    "transpose": lambda a, b, c, v: a.t().contiguous(),
    "sum": lambda a, b, c, v: a.sum(),
    "mean of squares": lambda a, b, c, v: (a - b).square().mean(),
    "sums of rows": lambda a, b, c, v: a.sum(1),
    "sums of columns": lambda a, b, c, v: a.sum(0),
    "argmax of rows": lambda a, b, c, v: a.argmax(1),
    "softmax": lambda a, b, c, v: a.softmax(-1),
    "cumsum": lambda a, b, c, v: a.cumsum(1),
}


def product_seconds(form: str, sizes: tuple[int, int, int], seconds: float) -> float | None:
    """The time of a matrix product in plain float32."""
    if torch is None:
        return None
    torch.backends.cuda.matmul.allow_tf32 = False
    m, k, n = sizes
    a = torch.rand(*((k, m) if form[0] == "T" else (m, k)), device="cuda")
    b = torch.rand(*((n, k) if form[1] == "T" else (k, n)), device="cuda")
    x, y = a.t() if form[0] == "T" else a, b.t() if form[1] == "T" else b
    return seconds_of(lambda: x @ y, seconds)


def op_seconds(which: str, seconds: float) -> float | None:
    """The time of a few ops on small tensors, one by one."""
    if torch is None:
        return None
    a, b, c = (torch.rand(64, device="cuda") for _ in range(3))
    x, w = (torch.rand(8, 8, device="cuda") for _ in range(2))
    subjects = {
        "one op": lambda: a + b,
        "chain of 6": lambda: KERNELS["chain of 6"](a, b, c, None),
        "mean of squares": lambda: KERNELS["mean of squares"](a, b, c, None),
        "dense layer": lambda: (x @ w + w).relu(),
    }
    return seconds_of(subjects[which], seconds)


def model_runs(which: str, sizes: dict[str, int]) -> dict[str, Callable[[], object]]:
    """A training step and a prediction of the model with that name."""
    if torch is None:
        return {}
    torch.backends.cudnn.allow_tf32 = False
    model, x, y, loss = _MODELS[which](**sizes)
    model, x, y = model.cuda(), x.cuda(), y.cuda()
    optimizer = torch.optim.Adam(model.parameters())

    def train() -> None:
        optimizer.zero_grad()
        loss(model(x), y).backward()
        optimizer.step()

    def predict() -> None:
        with torch.no_grad():
            model(x)

    return {"train": train, "predict": predict}


def _mlp(batch: int, features: int, units: int, classes: int) -> Any:
    nn = torch.nn
    model = nn.Sequential(
        nn.Linear(features, units), nn.ReLU(), nn.Linear(units, units), nn.ReLU(), nn.Linear(units, classes)
    )
    return model, torch.rand(batch, features), torch.randint(classes, (batch,)), nn.CrossEntropyLoss()


def _conv(batch: int, size: int, channels: int, filters: int, classes: int) -> Any:
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(channels, filters, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(filters, 2 * filters, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(2 * filters * (size // 4) ** 2, classes),
    )  # fmt: skip
    return model, torch.rand(batch, channels, size, size), torch.randint(classes, (batch,)), nn.CrossEntropyLoss()


def _recurrent(layer: str) -> Callable[..., Any]:
    def make(batch: int, time: int, features: int, units: int, classes: int) -> Any:
        nn = torch.nn

        class Model(nn.Module):  # type: ignore[misc, name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.rnn = getattr(nn, layer)(features, units, batch_first=True)
                self.out = nn.Linear(units, classes)

            def forward(self, x: Any) -> Any:
                return self.out(self.rnn(x)[0][:, -1])

        return Model(), torch.rand(batch, time, features), torch.randint(classes, (batch,)), nn.CrossEntropyLoss()

    return make


_MODELS = {
    "small mlp": _mlp,
    "mlp": _mlp,
    "conv": _conv,
    "simple rnn": _recurrent("RNN"),
    "gru": _recurrent("GRU"),
    "lstm": _recurrent("LSTM"),
}
