"""JavaScript modules put into one script, for pages that are files: there, a browser loads no modules."""

from __future__ import annotations

import re
from pathlib import Path

_IMPORT = re.compile(r'^import (?:\* as (?P<module>\w+)|(?P<names>\{[^}]*\})) from "(?P<path>[^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def bundled(entry: Path) -> str:
    """Return the module in the file `entry`, and all that it imports, as one script, a module or not.

    Each imported module is a function of its own that returns what the module exports. It may have imports of names and
    of whole modules, a line each, and exports of functions, classes and constants, as the viewer has them.
    """
    return f'(async () => {{\n"use strict";\n{_Modules().text(entry)}\n}})();\n'


class _Modules:
    """The modules that others import, in the order in which they run."""

    def __init__(self) -> None:
        self._numbers: dict[Path, int] = {}
        self._parts: list[str] = []

    def text(self, entry: Path) -> str:
        """Return the module `entry` after all that it imports."""
        body, _ = self._read(entry)
        return "\n".join([*self._parts, body])

    def _module(self, file: Path) -> str:
        """Add a module unless it is there, and return the name of its exports."""
        if file not in self._numbers:
            body, exported = self._read(file)
            number = self._numbers[file] = len(self._numbers)
            self._parts.append(f"const m{number} = (() => {{\n{body}\nreturn {{ {', '.join(exported)} }};\n}})();")
        return f"m{self._numbers[file]}"

    def _read(self, file: Path) -> tuple[str, list[str]]:
        def imported(found: re.Match[str]) -> str:
            module = self._module((file.parent / found["path"]).resolve())
            names = found["module"] or found["names"].replace(" as ", ": ")
            return f"const {names} = {module};\n"

        text = _IMPORT.sub(imported, file.read_text("utf-8"))
        exported = _EXPORT.findall(text)
        text = _EXPORT.sub("", text)
        left = _LEFT.findall(text)
        assert not left, f"{file.name}: {left[0]!r} cannot be put into one script"
        return text, exported
