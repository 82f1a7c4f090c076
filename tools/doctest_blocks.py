"""An extension of Griffe (see mkdocs.yml): shows doctests in docstrings as blocks of code."""

from __future__ import annotations

import re
from typing import Any

import griffe

DOCTEST = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class DoctestBlocks(griffe.Extension):
    """Puts each doctest between fences; Markdown takes its prompt for a quotation."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        del kwargs
        if obj.docstring:
            obj.docstring.value = DOCTEST.sub(lambda doctest: f"```pycon\n{doctest[0]}\n```", obj.docstring.value)

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        self.on_object(obj=pkg, **kwargs)  # which is called for everything within a package
