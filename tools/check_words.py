"""Finds words that this project does not use (tools/words.toml), in code and in pages.

    python tools/check_words.py            every file that git tracks
    python tools/check_words.py FILE ...   these files

Exits with 1 if there are any.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORDS = Path(__file__).with_name("words.toml")
# Since Python 3.12 the text of an f-string is a token of its own.
_PROSE_TOKENS = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
PROSE = {".md", ".proto", ".toml", ".ini", ".js", ".html", ".css"}


@dataclass(frozen=True, slots=True)
class Rule:
    """Something not to write."""

    found: re.Pattern[str]
    """Matches it."""
    instead: str
    """What to write."""
    where: str
    """What it is looked for in: "name" of code, "module" for names of files, or "prose"."""
    exceptions: Mapping[str, str] = field(default_factory=dict)
    """File, relative to the root: why it is right there."""


def read_rules(text: str) -> list[Rule]:
    """Return the rules that the TOML `text` lists."""
    table = tomllib.loads(text)
    rules = []
    for entry in table.get("identifiers", []):
        words = "|".join(map(re.escape, entry["words"]))
        pattern = rf"(?:^|_)(?:{words})(?:_|$)"
        flags = re.NOFLAG if entry.get("constants") else re.IGNORECASE
        rules.append(Rule(re.compile(pattern, flags), entry["instead"], "name", entry.get("except", {})))
    for entry in table.get("modules", []):
        words = "|".join(map(re.escape, entry["words"]))
        rules.append(Rule(re.compile(rf"^(?:{words})$"), entry["instead"], "module", entry.get("except", {})))
    for entry in table.get("phrases", []):
        pattern = entry["pattern"].replace(" ", r"\s+")
        rules.append(Rule(re.compile(pattern, re.IGNORECASE), entry["instead"], "prose", entry.get("except", {})))
    return rules


def pieces(file: str, text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, text and place of the module, each name (EventLog as Event_Log) and each piece of prose in `text`."""
    if not file.endswith(".py"):
        yield 1, text, "prose"
        return
    yield 1, Path(file).stem, "module"
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME:
            yield token.start[0], re.sub("(?<=[a-z])(?=[A-Z])", "_", token.string), "name"
        elif token.type in _PROSE_TOKENS:
            yield token.start[0], token.string, "prose"


def problems(file: str, text: str, rules: Sequence[Rule]) -> Iterator[str]:
    """Yield a line for each word in `text` that `rules` are against. `file`: relative to the root."""
    rules = [rule for rule in rules if file not in rule.exceptions]
    for line, piece, where in pieces(file, text):
        for rule in rules:
            if rule.where != where:
                continue
            for match in rule.found.finditer(piece):
                at = line + piece.count("\n", 0, match.start())
                word = " ".join((match[0] if where == "prose" else piece).split())
                yield f"{file}:{at}: {word!r}: write {rule.instead}"


def tracked() -> list[str]:
    """Return the files that git tracks, without those of others, in folders called vendor."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S607
    return [file for file in listed.stdout.split("\0")[:-1] if "/vendor/" not in file]


def main(files: Iterable[str]) -> int:
    """Check `files`; return the exit code."""
    rules = read_rules(WORDS.read_text("utf-8"))
    found = [
        problem
        for file in files
        if (path := ROOT / file).suffix in PROSE | {".py"} and path != WORDS
        for problem in problems(file, path.read_text("utf-8"), rules)
    ]
    for problem in found:
        print(problem)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or tracked()))
