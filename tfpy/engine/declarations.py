"""What functions and classes declare. Annotations are read as text and never evaluated.

Since Python 3.14 reading an annotation evaluates it, which fails if it names something that only type checkers import.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any

if sys.version_info >= (3, 14):
    from annotationlib import Format, get_annotations

    def signature_of(function: Callable[..., Any]) -> inspect.Signature:
        """The signature of a function, or of a class's constructor.

        Raises:
            TypeError, ValueError: it has none that is known, as `inspect.signature` says.
        """
        return inspect.signature(function, annotation_format=Format.STRING)

    def annotations_in(cls: type) -> dict[str, str]:
        """The annotations in the body of a class, as text by name; not those of its bases."""
        return {name: _unquoted(text) for name, text in get_annotations(cls, format=Format.STRING).items()}

else:

    def signature_of(function: Callable[..., Any]) -> inspect.Signature:
        """The signature of a function, or of a class's constructor.

        Raises:
            TypeError, ValueError: it has none that is known, as `inspect.signature` says.
        """
        return inspect.signature(function)

    def annotations_in(cls: type) -> dict[str, str]:
        """The annotations in the body of a class, as text by name; not those of its bases."""
        return {name: _text(annotation) for name, annotation in vars(cls).get("__annotations__", {}).items()}

    def _text(annotation: object) -> str:
        """An annotation as text: as in the source, unless it was evaluated when the class was made."""
        if isinstance(annotation, type):
            return annotation.__name__
        return _unquoted(str(annotation).replace("collections.abc.", "").replace("typing.", ""))


def _unquoted(text: str) -> str:
    """An annotation as text, without the quotes that it may have in the source."""
    return text.strip("'\"")
