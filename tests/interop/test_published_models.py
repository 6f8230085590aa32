"""Models published as npm packages predict the same as in TF.js."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from interop.node import as_job, from_job, package, run_jobs

import tfpy as tf

pytestmark = [pytest.mark.slow]

# Detection of faces, hands and poses, and classification of faces; handtrack ends with non-maximum suppression, movenet
# with a search for the best positions.
HUMAN = ["antispoof", "blazeface", "emotion", "facemesh", "handtrack", "iris", "liveness", "movenet-lightning"]
SIDE = 64  # of images whose size the model leaves open

TEXTS = {
    "py": "def main():\n    for i in range(3):\n        print(i)\n",
    "c": '#include <stdio.h>\nint main() { printf("x"); return 0; }\n',
    "sql": "SELECT a, b FROM t WHERE a > 3 GROUP BY b;\n",
    "js": "const a = require('fs');\nfunction f(x) { return x => x * 2; }\n",
}


def image(port: Any) -> np.ndarray[Any, Any]:
    """An image with smooth and sharp regions, of the shape and dtype of an input."""
    shape = [1 if i == 0 else SIDE if n is None or n < 0 else n for i, n in enumerate(port.shape)]
    values = np.sin(np.arange(np.prod(shape)) * 0.37) * 0.5 + 0.5
    integer = port.dtype == "int32"
    return (np.round(values * 255).astype(np.int32) if integer else values.astype(np.float32)).reshape(shape)


@pytest.mark.parametrize("name", HUMAN)
def test_human_models_match_tfjs(name: str) -> None:
    folder = package("@vladmandic/human") / "models"
    model = tf.load_graph_model(folder / f"{name}.json")
    inputs = {port.name: image(port) for port in model.inputs}
    outputs = [port.name for port in model.outputs]
    ours = model.execute({key: tf.tensor(value) for key, value in inputs.items()}, outputs)
    feeds = {key: as_job(value) for key, value in inputs.items()}
    job = {"job": "execute", "dir": str(folder), "name": f"{name}.json", "inputs": feeds, "outputs": outputs}
    (found,) = run_jobs([job])
    assert "error" not in found, found["error"]
    for theirs, mine in zip(found["result"], ours if isinstance(ours, list) else [ours], strict=True):
        assert (theirs["shape"], theirs["dtype"]) == (list(mine.shape), mine.dtype)
        expected = from_job(theirs)
        np.testing.assert_allclose(mine.numpy(), expected, rtol=1e-4, atol=1e-4 * np.abs(expected).max())


def test_vscode_language_detection_matches_tfjs() -> None:
    folder = package("@vscode/vscode-languagedetection") / "model"
    model = tf.load_graph_model(folder / "model.json")
    signature = json.loads((folder / "model.json").read_text())["signature"]["outputs"]
    scores, classes = (signature[key]["name"].removesuffix(":0") for key in ("scores", "classes"))
    (found,) = run_jobs([{"job": "detect", "texts": list(TEXTS.values())}])
    assert "error" not in found, found["error"]
    for (language, text), theirs in zip(TEXTS.items(), found["result"], strict=True):
        likely, names = model.execute(tf.tensor([text]), [scores, classes])
        ours = dict(zip(names.array_sync()[0], likely.array_sync()[0], strict=True))
        assert max(ours, key=ours.__getitem__) == theirs[0]["languageId"] == language
        for guess in theirs:
            assert ours[guess["languageId"]] == pytest.approx(guess["confidence"], rel=1e-4)
