"""The visor and its surfaces: named places for drawings, on tabs, which form one page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, TypeVar

from tfpy.core.calling.options import respell
from tfpy.core.calling.registry import export
from tfpy.core.naming.names import spellings
from tfpy.engine.arguments import as_string
from tfpy.engine.errors import argument_error, unknown_name_error
from tfpy.vis._camel import VisorCamel
from tfpy.vis.drawing import Drawing, Group
from tfpy.vis.page import escaped, group_html

_DEFAULT_TAB = "Visor"
_STYLES = {"width": "width", "height": "height", "max_width": "max-width", "max_height": "max-height"}
_LENGTH = re.compile(r"\d{1,6}(\.\d{1,6})?(px|%|em|rem|vw|vh)?")

D = TypeVar("D", bound=Drawing)


@export(namespace="vis", doc="Visualization / Visor and surfaces")
class Surface:
    """A named place on a tab of the visor.

    Attributes:
        name: its name.
        tab: the tab that it is on.
        style: its size, in CSS.
        drawing: the drawing on it; None while empty.

    Source: tfjs-vis `Surface`.
    """

    def __init__(self, name: str, tab: str, style: str = "") -> None:
        self.name = name
        self.tab = tab
        self.style = style
        self.drawing: Drawing | None = None

    def __repr__(self) -> str:
        return f"<Surface {self.name!r} on tab {self.tab!r}>"


Container: TypeAlias = Surface | Mapping[str, Any] | str | None
"""The place to draw: a surface, `{'name': …, 'tab': …}`, a name, or None for none."""


@export(namespace="vis", doc="Visualization / Visor and surfaces")
class Visor(VisorCamel, Drawing):
    """All surfaces, by tab. It displays in a notebook, and can be saved as a page.

    There is no window that it could open: whether it is open or full-screen is only remembered.

    Source: tfjs-vis `Visor`.
    """

    def __init__(self) -> None:
        self._surfaces: dict[tuple[str, str], Surface] = {}
        self._open = True
        self._fullscreen = False
        self.active_tab: str | None = None

    def surface(self, options: Mapping[str, Any]) -> Surface:
        """The surface with a name, created if needed.

        Args:
            options: 'name'; 'tab', by default 'Visor'; 'styles', the CSS lengths 'width', 'height', 'max_width',
                'max_height' of its area on a page.

        Raises:
            ValueError, TypeError: no name, or something that is not a string or not a length.
        """
        if not isinstance(options, Mapping):
            raise argument_error("surface", "options", "a dict with a 'name'", options, TypeError)
        known = respell(options, spellings(["name", "tab", "styles"]), "surface")
        name = as_string("surface", "name", known.get("name"))
        tab = as_string("surface", "tab", known.get("tab", _DEFAULT_TAB))
        if (tab, name) not in self._surfaces:
            self._surfaces[tab, name] = Surface(name, tab, _style(known.get("styles", {})))
        return self._surfaces[tab, name]

    @property
    def surfaces(self) -> list[Surface]:
        """The surfaces, tab by tab, with those of the active tab first."""
        order = {tab: i for i, tab in enumerate(dict.fromkeys(tab for tab, _ in self._surfaces))}
        return sorted(self._surfaces.values(), key=lambda s: (s.tab != self.active_tab, order[s.tab]))

    def clear(self) -> None:
        """Remove all surfaces."""
        self._surfaces = {}
        self.active_tab = None

    def set_active_tab(self, tab_name: str) -> None:
        """Activate a tab. ValueError if there is none of that name."""
        tabs = {tab for tab, _ in self._surfaces}
        if tab_name not in tabs:
            raise unknown_name_error("tab", tab_name, tabs)
        self.active_tab = tab_name

    def is_open(self) -> bool:
        """Whether it was left open."""
        return self._open

    def open(self) -> None:
        """Remember that it is open."""
        self._open = True

    def close(self) -> None:
        """Remember that it is closed."""
        self._open = False

    def toggle(self) -> None:
        """Toggle whether it is open."""
        self._open = not self._open

    def is_fullscreen(self) -> bool:
        """Whether it was left full-screen."""
        return self._fullscreen

    def toggle_full_screen(self) -> None:
        """Toggle whether it is full-screen."""
        self._fullscreen = not self._fullscreen

    def bind_keys(self) -> None:
        """No effect: there is no keyboard to listen to."""

    def unbind_keys(self) -> None:
        """No effect: there is no keyboard to listen to."""

    # As a drawing

    def _group(self) -> Group:
        return Group([(f"{s.tab}: {s.name}", s.drawing) for s in self.surfaces if s.drawing is not None])

    @property
    def body(self) -> dict[str, Any]:
        return self._group().body

    @property
    def needs_script(self) -> bool:
        return self._group().needs_script

    def pieces(self) -> Iterator[str]:
        shown = [s for s in self.surfaces if s.drawing is not None]
        for tab in dict.fromkeys(s.tab for s in shown):
            parts = [
                group_html(escaped(s.name), "\n".join(s.drawing.pieces()), 3, s.style)
                for s in shown
                if s.tab == tab and s.drawing is not None
            ]
            yield group_html(escaped(tab), "\n".join(parts), 2)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        if not any(surface.drawing is not None for surface in self.surfaces):
            return {"text/plain": repr(self)}
        return self._group()._repr_mimebundle_(include, exclude)

    def __repr__(self) -> str:
        return f"<Visor with {len(self._surfaces)} surfaces>"


_visor = Visor()


@export(namespace="vis", doc="Visualization / Visor and surfaces")
def visor() -> Visor:
    """The one visor of this program.

    Source: tfjs-vis `visor`.
    """
    return _visor


def put(where: str, container: Container, drawing: D) -> D:
    """A drawing, placed on the surface if one is given, replacing its contents."""
    surface = _surface(where, container)
    if surface is not None:
        surface.drawing = drawing
    return drawing


def _surface(where: str, container: Container) -> Surface | None:
    if container is None or isinstance(container, Surface):
        return container
    if isinstance(container, str):
        return _visor.surface({"name": container})
    if isinstance(container, Mapping):
        return _visor.surface(container)
    raise argument_error(where, "container", "a surface, {'name': …, 'tab': …}, a name or None", container, TypeError)


def _style(styles: Any) -> str:
    """CSS from validated lengths."""
    if not isinstance(styles, Mapping):
        raise argument_error("surface", "styles", "a dict of CSS lengths", styles, TypeError)
    out = []
    for name, value in respell(styles, spellings(_STYLES), "surface").items():
        text = f"{value}px" if isinstance(value, (int, float)) and not isinstance(value, bool) else value
        if not isinstance(text, str) or not _LENGTH.fullmatch(text):
            raise argument_error("surface", name, "a length in CSS, such as '400px'", value)
        out.append(f"{_STYLES[name]}: {text}")
    return "; ".join(out)
