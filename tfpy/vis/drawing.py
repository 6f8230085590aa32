"""The drawings of `tf.vis`: charts, tables, groups of them. Each displays in a notebook and saves itself to a file."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tfpy.core.calling.ready import Ready
from tfpy.core.calling.registry import export
from tfpy.core.naming.elsewhere import OF_DRAWINGS
from tfpy.core.naming.hints import Hints
from tfpy.engine.arguments import as_list, as_number
from tfpy.engine.errors import argument_error
from tfpy.vis.page import chart_html, escaped, group_html, page, table_html
from tfpy.vis.renderer import installed, render

Spec = dict[str, Any]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
_MIME = "application/vnd.vegalite.v5+json"

# A table as a picture: the width of a column and the height of a row, in pixels, for each pixel of the font.
_COLUMN, _ROW = 10, 2


@export(namespace="vis", doc="Visualization / Classes")
class Drawing(Ready, Hints):
    """A chart, a table, or a group of them. It displays in a notebook, and is awaitable.

    Attributes:
        font_size: the font size of all text, in pixels.

    Source: beyond TF.js, which draws into a page.
    """

    _elsewhere = OF_DRAWINGS
    font_size: float = 11

    @property
    def body(self) -> Spec:
        """The Vega-Lite specification without the parts shared by a whole image."""
        raise TypeError(f"{type(self).__name__}: a drawing must define body.")

    @property
    def spec(self) -> Spec:
        """The Vega-Lite specification, a plain dict."""
        sizes = {"labelFontSize": self.font_size, "titleFontSize": self.font_size}
        config = {"axis": sizes, "legend": sizes, "text": {"fontSize": self.font_size}}
        return {"$schema": _SCHEMA, **self.body, "config": config}

    def pieces(self) -> Iterator[str]:
        """The drawing as HTML, one string for each chart or table."""
        raise TypeError(f"{type(self).__name__}: a drawing must define pieces().")

    @property
    def needs_script(self) -> bool:
        """Whether the HTML needs Vega-Lite to be rendered."""
        return True

    def to_html(self, title: str = "tfpy") -> str:
        """The drawing as a self-contained page, without network access or other files.

        Args:
            title: the page's title.

        Raises:
            ImportError: it contains a chart, and the extra `vis` is not installed.
        """
        return page(title, "\n".join(self.pieces()), self.needs_script)

    def to_svg(self) -> str:
        """The drawing as an SVG image. ImportError without the extra `vis`."""
        return str(render("svg", self.spec))

    def to_png(self, scale: float = 2.0) -> bytes:
        """The drawing as a PNG image. ImportError without the extra `vis`.

        Args:
            scale: pixels of the image for each pixel of the drawing. ValueError if it is not above 0.
        """
        if not 0 < as_number("to_png", "scale", scale) < math.inf:
            raise argument_error("to_png", "scale", "above 0", scale)
        return bytes(render("png", self.spec, scale=scale))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawing to a file.

        Args:
            path: the suffix determines the format: `.html` for a self-contained page, `.svg`, `.png`, or `.json` for
                the Vega-Lite specification.

        Raises:
            ValueError: an unknown suffix. ImportError: the extra `vis` is needed, and not installed.
        """
        file = Path(path)
        kind = file.suffix.lower()
        if kind == ".png":
            file.write_bytes(self.to_png())
        elif kind == ".html":
            file.write_text(self.to_html(file.stem), encoding="utf-8")
        elif kind == ".svg":
            file.write_text(self.to_svg(), encoding="utf-8")
        elif kind == ".json":
            file.write_text(json.dumps(self.spec, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        else:
            raise argument_error("save", "path", "a name that ends in .html, .svg, .png or .json", str(path))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle: dict[str, Any] = {"text/plain": repr(self), _MIME: self.spec}
        if installed():
            bundle["image/svg+xml"] = self.to_svg()
        return bundle


@export(namespace="vis", doc="Visualization / Classes")
class Chart(Drawing):
    """A single chart.

    Args:
        body: its Vega-Lite specification, without schema and configuration.
        font_size: the font size of all text, in pixels.
    """

    def __init__(self, body: Spec, font_size: float = 11) -> None:
        self._body = body
        self.font_size = font_size

    @property
    def body(self) -> Spec:
        return self._body

    def pieces(self) -> Iterator[str]:
        yield chart_html(self.spec)

    def __repr__(self) -> str:
        return f"<Chart {self._body['width']} x {self._body['height']}>"


@export(namespace="vis", doc="Visualization / Classes")
class Table(Drawing):
    """A table of strings.

    Args:
        headers: the names of the columns.
        rows: the strings, row by row.
        font_size: the font size, in pixels.
    """

    def __init__(self, headers: Sequence[str], rows: Sequence[Sequence[str]], font_size: float = 14) -> None:
        self.headers: list[Any] = as_list("Table", "headers", headers, "strings")
        self.rows: list[list[Any]] = [
            as_list("Table", "rows", row, "strings") for row in as_list("Table", "rows", rows, "rows")
        ]
        self.font_size = font_size

    needs_script = False

    @property
    def body(self) -> Spec:
        cells = [{"row": r, "column": c, "text": text} for r, row in enumerate(self.rows) for c, text in enumerate(row)]
        headers = [{"row": -1, "column": c, "text": text} for c, text in enumerate(self.headers)]
        weight = {"expr": "datum.row < 0 ? 'bold' : 'normal'"}
        return {
            "width": _COLUMN * self.font_size * max(len(self.headers), 1),
            "height": _ROW * self.font_size * (len(self.rows) + 1),
            "data": {"values": [*headers, *cells]},
            "mark": {
                "type": "text",
                "align": "center",
                "fontWeight": weight,
                "limit": (_COLUMN - 1) * self.font_size,
            },
            "encoding": {
                "x": {"field": "column", "type": "ordinal", "axis": None},
                "y": {"field": "row", "type": "ordinal", "axis": None},
                "text": {"field": "text", "type": "nominal"},
            },
        }

    def pieces(self) -> Iterator[str]:
        yield table_html(self.headers, self.rows, self.font_size)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"text/plain": repr(self), "text/html": "".join(self.pieces())}

    def __repr__(self) -> str:
        columns = [[header, *(row[i] for row in self.rows if i < len(row))] for i, header in enumerate(self.headers)]
        widths = [max(map(len, column)) for column in columns]
        lines = [self.headers, ["-" * width for width in widths], *self.rows]
        return "\n".join(
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=False)).rstrip() for line in lines
        )


@export(namespace="vis", doc="Visualization / Classes")
class Group(Drawing):
    """Drawings stacked vertically.

    Args:
        members: the drawings, or pairs of a heading and a drawing.
    """

    def __init__(self, members: Sequence[Drawing | tuple[str, Drawing]]) -> None:
        self._members = [_member(m) for m in as_list("Group", "members", members, "drawings")]
        self.font_size = self._members[0][1].font_size if self._members else 11

    @property
    def members(self) -> list[tuple[str, Drawing]]:
        """Pairs of a heading, which may be empty, and a drawing."""
        return self._members

    @property
    def needs_script(self) -> bool:
        return any(drawing.needs_script for _, drawing in self.members)

    @property
    def body(self) -> Spec:
        parts = [_titled(heading, drawing.body) for heading, drawing in self.members]
        own = dict.fromkeys(("color", "fill", "shape"), "independent")
        return {"vconcat": parts, "resolve": {"scale": own}}

    def pieces(self) -> Iterator[str]:
        for heading, drawing in self.members:
            yield group_html(escaped(heading), "\n".join(drawing.pieces()))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if self.needs_script:
            return super()._repr_mimebundle_(include, exclude)
        return {"text/plain": repr(self), "text/html": "".join(self.pieces())}

    def __repr__(self) -> str:
        return "\n".join(f"{heading}\n{drawing!r}".lstrip() for heading, drawing in self.members)


def _titled(heading: str, body: Spec) -> Spec:
    return {"title": heading, **body} if heading else body


def _member(given: Any) -> tuple[str, Drawing]:
    """A heading and a drawing."""
    heading, drawing = given if isinstance(given, tuple) and len(given) == 2 else ("", given)
    if not isinstance(drawing, Drawing):
        raise argument_error("Group", "members", "drawings, or pairs of a heading and a drawing", given, TypeError)
    return heading, drawing
