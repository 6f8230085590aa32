"""An extension of the reference: functions whose names are Python builtins are shown under their public names.

`abs_` in the source is `tf.abs`; the names of keywords keep their underscore.
"""

from __future__ import annotations

from typing import Any

import griffe

from tfpy.core.naming.names import public_name


class PublicNames(griffe.Extension):
    """Renames the functions of a package once it is loaded."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        _rename(pkg)


def _rename(module: griffe.Module) -> None:
    for member in module.members.values():
        if isinstance(member, griffe.Module):
            _rename(member)
        elif isinstance(member, griffe.Function):
            member.name = public_name(member.name)
