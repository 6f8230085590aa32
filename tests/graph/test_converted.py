"""Graph models converted from TensorFlow functions predict what TensorFlow computes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf

MODELS = sorted((Path(__file__).parent / "models").iterdir())
DTYPES = {"float32": "float32", "int32": "int32", "int64": "int32", "bool": "bool", "string": "string"}


def ops_in(folder: Path) -> set[str]:
    """The TensorFlow ops of a model."""
    content = json.loads((folder / "model.json").read_text())
    graphs = [g for g in (content["modelTopology"], content.get("modelInitializer")) if g]
    nodes = [n for g in graphs for n in g["node"]]
    nodes += [n for g in graphs for f in g.get("library", {}).get("function", []) for n in f["nodeDef"]]
    return {n["op"] for n in nodes}


@pytest.mark.parametrize("folder", MODELS, ids=lambda folder: folder.name)
def test_outputs_match_tensorflow(folder: Path) -> None:
    model = tf.load_graph_model(folder)
    expected = json.loads((folder / "expected.json").read_text())
    feeds = {f"x{i}": tf.tensor(x["values"], x["shape"], DTYPES[x["dtype"]]) for i, x in enumerate(expected["inputs"])}
    names = [f"Identity_{i}" if i else "Identity" for i in range(len(expected["outputs"]))]
    found = model.execute(feeds, names)
    for name, ours, theirs in zip(
        names, found if isinstance(found, list) else [found], expected["outputs"], strict=True
    ):
        assert list(ours.shape) == theirs["shape"], name
        assert ours.dtype == DTYPES[theirs["dtype"]], name
        if ours.dtype == "string":
            assert ours.data_sync() == theirs["values"], name
        else:
            np.testing.assert_allclose(
                ours.data_sync(), theirs["values"], rtol=ACCUMULATED, atol=ROUNDING, err_msg=name
            )
    predicted = model.predict(feeds)
    assert len(predicted if isinstance(predicted, list) else [predicted]) == len(model.output_nodes)
