"""The package that renders Vega-Lite specifications to images, and provides Vega-Lite itself as a script."""

from __future__ import annotations

import functools
import importlib.util
from typing import Any

from tfpy.core.system.extras import optional_module

_MODULE = "vl_convert"


def installed() -> bool:
    """Whether the extra `vis` is installed."""
    return importlib.util.find_spec(_MODULE) is not None


def render(form: str, spec: dict[str, Any], **options: Any) -> Any:
    """A specification as an image, 'svg' or 'png'. Nothing is fetched: the data are in the specification."""
    package = optional_module(_MODULE, "vis", "Making a picture of a chart")
    return getattr(package, f"vegalite_to_{form}")(spec, allowed_base_urls=[], **options)


@functools.cache
def script() -> str:
    """Vega-Lite as JavaScript for a page; it defines `vegaEmbed`. The first call takes some seconds."""
    package = optional_module(_MODULE, "vis", "A page with charts that needs no network")
    return str(package.javascript_bundle())
