"""PyTorch, eager, as a contender of `peers.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from protocol import Step, serve
from torch import nn

_ACTIVATIONS: dict[str, Any] = {"relu": nn.ReLU, "linear": nn.Identity, "softmax": nn.Identity}


class Recurrent(nn.Module):
    """A recurrent layer that returns its last output."""

    def __init__(self, kind: str, weights: list[torch.Tensor]) -> None:
        super().__init__()
        kernel, recurrent, bias = weights
        cls = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}[kind]
        self.inner = cls(kernel.shape[0], recurrent.shape[0], batch_first=True)
        with torch.no_grad():
            self.inner.weight_ih_l0.copy_(kernel.T)
            self.inner.weight_hh_l0.copy_(recurrent.T)
            self.inner.bias_ih_l0.copy_(bias)
            self.inner.bias_hh_l0.zero_()
        self.inner.bias_hh_l0.requires_grad_(False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner(x)[0][:, -1]


class Transformer(nn.Module):
    """Attention and two dense layers, each with a normalized input and a residual connection."""

    def __init__(self, heads: int, weights: list[torch.Tensor]) -> None:
        super().__init__()
        self.heads, size = heads, len(weights[0])
        self.norms = nn.ModuleList([nn.LayerNorm(size), nn.LayerNorm(size)])
        shapes = [(size, size)] * 4 + [tuple(weights[12].shape), tuple(weights[14].shape)]
        self.products = nn.ModuleList([nn.Linear(*shape) for shape in shapes])
        with torch.no_grad():
            for norm, at in zip(self.norms, (0, 10), strict=True):
                norm.weight.copy_(weights[at])
                norm.bias.copy_(weights[at + 1])
            for product, at, shape in zip(self.products, (2, 4, 6, 8, 12, 14), shapes, strict=True):
                product.weight.copy_(weights[at].reshape(shape).T)
                product.bias.copy_(weights[at + 1].reshape(-1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value, out, first, second = self.products
        normal = self.norms[0](x)
        q, k, v = (p(normal).unflatten(-1, (self.heads, -1)).transpose(1, 2) for p in (query, key, value))
        attended = nn.functional.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        y: torch.Tensor = x + out(attended)
        return y + second(torch.relu(first(self.norms[1](y))))


class Average(nn.Module):
    """The mean over the time steps."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.mean(1)


class Flat(nn.Module):
    """Flattens in TF.js's order, channels last."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.permute(0, 2, 3, 1).flatten(1)


def model_of(workload: Mapping[str, Any], weights: list[torch.Tensor]) -> nn.Module:
    parts: list[nn.Module] = []
    rest, channels = iter(weights), 0
    for kind, *options in workload["layers"]:
        if kind in ("rnn", "gru", "lstm"):
            parts.append(Recurrent(kind, [next(rest), next(rest), next(rest)]))
        elif kind == "dense":
            kernel, bias = next(rest), next(rest)
            dense = nn.Linear(*kernel.shape)
            with torch.no_grad():
                dense.weight.copy_(kernel.T)
                dense.bias.copy_(bias)
            parts += [dense, _ACTIVATIONS[options[1]]()]
        elif kind in ("conv", "depthwise"):
            kernel, bias = next(rest), next(rest)
            parts += [_convolution(kind, kernel, bias), nn.ReLU()]
            channels = len(bias)
        elif kind == "transformer":
            parts.append(Transformer(options[0], [next(rest) for _ in range(16)]))
        elif kind == "average":
            parts.append(Average())
        elif kind == "norm":
            parts.append(nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01))
        else:
            parts.append(nn.MaxPool2d(2) if kind == "pool" else Flat())
    return nn.Sequential(*parts)


def _convolution(kind: str, kernel: torch.Tensor, bias: torch.Tensor) -> nn.Module:
    groups = kernel.shape[2] if kind == "depthwise" else 1
    conv = nn.Conv2d(kernel.shape[2], len(bias), tuple(kernel.shape[:2]), groups=groups)
    with torch.no_grad():
        conv.weight.copy_(kernel.permute(2, 3, 0, 1) if kind == "depthwise" else kernel.permute(3, 2, 0, 1))
        conv.bias.copy_(bias)
    return conv


def make(workload: Mapping[str, Any], arrays: dict[str, np.ndarray]) -> Step:
    tensors = {name: torch.from_numpy(a) for name, a in arrays.items()}
    task = workload["task"]
    if task in ("fit", "predict"):
        model = model_of(workload, [tensors[f"w{i}"] for i in range(len(tensors) - 2)])
        x, y = tensors["x"], tensors["y"]
        x = x.permute(0, 3, 1, 2).contiguous() if x.ndim == 4 else x
        return _training(model, x, y, workload) if task == "fit" else _predicting(model, x, workload)
    a, b, c = (tensors[name] for name in "abc")
    if task == "product":
        return lambda: float((a @ b)[0, 0])
    if task.startswith("chain"):
        return lambda: _chains(a, b, "gradient" in task)
    return lambda: _elementwise(a, b, c, "gradient" in task)


def _training(model: nn.Module, x: torch.Tensor, y: torch.Tensor, workload: Mapping[str, Any]) -> Step:
    linear = workload["layers"][-1][2] == "linear"
    loss_of = nn.MSELoss() if linear else nn.CrossEntropyLoss()
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.Adam(parameters, lr=0.001, eps=1e-7)

    def step() -> float:
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
        return float(loss)

    return step


def _predicting(model: nn.Module, x: torch.Tensor, workload: Mapping[str, Any]) -> Step:
    softmax = workload["layers"][-1][2] == "softmax"
    model.eval()

    def step() -> float:
        with torch.no_grad():
            y = model(x)
            return float((y.softmax(-1) if softmax else y).flatten()[0])

    return step


def _chains(a: torch.Tensor, b: torch.Tensor, gradient: bool) -> float:
    for _ in range(1000):
        x = a.detach().requires_grad_(gradient)
        y = (x - b).square().mean()
        found = torch.autograd.grad(y, x)[0] if gradient else y
    return float(found.flatten()[0])


def _elementwise(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, gradient: bool) -> float:
    x = a.detach().requires_grad_(gradient)
    y = torch.tanh(x * b + c).mean()
    return float((torch.autograd.grad(y, x)[0] if gradient else y).flatten()[0])


if __name__ == "__main__":
    serve(make)
