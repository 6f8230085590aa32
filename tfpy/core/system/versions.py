"""Which TF.js this is the API of: `tf.version`, `tf.version_core` and similar."""

from __future__ import annotations

from tfpy._version import TFJS, VERSION
from tfpy.core.results import Entries

_PARTS = ("tfjs", "tfjs-core", "tfjs-data", "tfjs-layers", "tfjs-converter", "tfjs-backend-cpu", "tfjs-backend-webgl")

version = Entries({"tfpy": VERSION, **dict.fromkeys(_PARTS, TFJS)})
version_core = version_layers = version_converter = version_cpu = version_webgl = TFJS
