"""HTML: self-contained pages in which all text is escaped."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from typing import Any

from tfpy.vis.renderer import script

# A page may run its own script (Vega compiles the expressions of a specification) but not fetch anything.
_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:"

_STYLE = """
body { font-family: system-ui, sans-serif; margin: 1.5rem; color: #222; background: #fff; }
section { margin-bottom: 2rem; }
h2 { font-size: 1.2rem; border-bottom: 1px solid rgba(0, 0, 0, .2); }
h3 { font-size: 1rem; }
"""

# Draws each chart from the specification embedded in it.
_DRAW = """
for (const place of document.querySelectorAll("script.chart")) {
  const actions = {export: true, source: false, compiled: false, editor: false};
  const options = {mode: "vega-lite", renderer: "svg", actions};
  vegaEmbed(place.parentElement, JSON.parse(place.textContent), options);
}
"""


def page(title: str, body: str, needs_script: bool) -> str:
    """A whole page; `body` is HTML."""
    scripts = f"<script>{script()}</script>\n<script>{_DRAW}</script>\n" if needs_script else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{escaped(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n{scripts}</body>\n</html>\n"
    )


def escaped(text: str) -> str:
    """Text as HTML."""
    return html.escape(text, quote=True)


def chart_html(spec: dict[str, Any]) -> str:
    """A placeholder for a chart, with its specification embedded so that no text in it can end the element."""
    # The script takes any version; where it is named, it logs that there is a newer one.
    known = {name: value for name, value in spec.items() if name != "$schema"}
    text = json.dumps(known, allow_nan=False)  # ASCII only
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<div><script class="chart" type="application/json">{text}</script></div>'


def table_html(headers: Sequence[str], rows: Sequence[Sequence[str]], font_size: float) -> str:
    """A table; all text is escaped."""
    edge = "border-bottom: 1px solid rgba(0, 0, 0, .2); padding: .25rem 1rem .25rem 0; text-align: left"
    head = "".join(f'<th style="{edge}">{escaped(text)}</th>' for text in headers)
    body = "".join(
        "<tr>" + "".join(f'<td style="{edge}">{escaped(text)}</td>' for text in row) + "</tr>" for row in rows
    )
    style = f"font-size: {font_size:g}px; border-collapse: collapse"
    return f'<table style="{style}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def group_html(heading: str, body: str, level: int = 3, style: str = "") -> str:
    """A part of a page under a heading; all arguments are HTML."""
    title = f"<h{level}>{heading}</h{level}>\n" if heading else ""
    return f'<section style="{style}">\n{title}{body}\n</section>'
