"""Check that Keras reads files of tfpy: `python check.py keras FOLDER` (Keras 3) or `python check.py tf_keras FOLDER`.

The folder has files NAME.keras or NAME.h5, each with NAME.npz: inputs x0, x1 … and the outputs of tfpy y0, y1 …
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np

keras = importlib.import_module(sys.argv[1])
wrong = 0
for path in sorted(p for p in Path(sys.argv[2]).iterdir() if p.suffix in (".keras", ".h5")):
    data = np.load(path.with_suffix(".npz"))
    xs, ys = ([data[name] for name in sorted(data.files) if name.startswith(kind)] for kind in "xy")
    try:
        found = keras.models.load_model(path, compile=False)(xs if len(xs) > 1 else xs[0])
        outputs = found if isinstance(found, (list, tuple)) else [found]
        error = max(float(np.abs(np.asarray(a) - b).max()) for a, b in zip(outputs, ys, strict=True))
        problem = f"differs by {error}" if error > 1e-5 else ""
    except Exception as exception:
        problem = f"{type(exception).__name__}: {str(exception)[:300]}"
    if problem:
        wrong += 1
        print(path.name, problem)
print("wrong:", wrong)
