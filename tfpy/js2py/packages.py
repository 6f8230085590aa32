"""The counterparts of packages that scripts import: TF.js and related ones, Node's modules, others to ignore."""

from __future__ import annotations

import re

_TFJS = re.compile(r"@tensorflow/tfjs(-node|-node-gpu|-core|-layers|-data|-converter)?(/dist/.*)?")
# Packages whose contents are all in one namespace.
_SPACES = {"@tensorflow/tfjs-data": "tf.data", "@tensorflow/tfjs-vis": "tf.vis"}
# Its own demos import it by path.
_DEEPLEARN = re.compile(
    r"deeplearn(/.*)?"
    r"|(\.\./)+(deeplearn(js)?|src/(deeplearn|index|checkpoint_loader|math/(ndarray|math|math_cpu|math_gpu)))"
)
NOTHING = re.compile(r"@tensorflow/tfjs-backend-.*|.*\.(css|scss)|@babel/polyfill|regenerator-runtime.*")
# Node's modules and related packages, and their names in nodejs.py; "" for names that are known without a prefix.
NODE = {
    "argparse": "argparse", "assert": "assert", "fs": "fs", "fs/promises": "fs", "mkdirp": "mkdirp", "os": "os",
    "path": "path", "perf_hooks": "", "process": "process", "shelljs": "shelljs", "util": "util",
}  # fmt: skip


def root_of(source: str) -> str | None:
    """The counterpart of a module of TF.js, tfjs-vis or deeplearn.js; None for any other."""
    if source in _SPACES:
        return _SPACES[source]
    return "tf" if _TFJS.fullmatch(source) else "dl" if _DEEPLEARN.fullmatch(source) else None
