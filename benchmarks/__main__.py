"""python -m benchmarks [--json FILE] [--page FILE] [NAME ...]: measure, and print a table; NAMEs are engine, store, ...

`make bench` also writes the figures into the table of docs/figures.md, where each keeps its date until it is measured
again.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
from datetime import UTC, datetime
from pathlib import Path

from beanleague.__main__ import use_one_thread
from benchmarks.figures import Figure, as_json, table
from benchmarks.page import with_rows

NAMES = (
    "cluster",
    "company",
    "engine",
    "field",
    "ladder",
    "ladder_day",
    "league",
    "pages",
    "ratings",
    "sandbox",
    "search",
    "site",
    "spectators",
    "startup",
    "store",
)


def main() -> None:
    """Run the benchmarks of the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure, and print a table.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(NAMES)} (default: all)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to FILE (- for stdout)")
    parser.add_argument("--page", type=Path, metavar="FILE", help="also write the figures into the table of this page")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(NAMES))
    if unknown:
        parser.error(f"no benchmark is called {unknown[0]}; there are: {', '.join(NAMES)}")
    use_one_thread()  # as the command does
    figures: list[Figure] = []
    for name in arguments.names or NAMES:
        new: list[Figure] = importlib.import_module(f"benchmarks.{name}").measure()
        figures += new
        if arguments.page:  # at once: a later benchmark may fail, and all take hours
            measured = f"{datetime.now(UTC):%Y-%m-%d}: {_conditions()}"
            page = with_rows(arguments.page.read_text("utf-8"), name, new, measured)
            arguments.page.write_text(page, "utf-8")
    print(f"{_conditions()}\n")
    print(table(figures))
    if arguments.json and str(arguments.json) == "-":
        print(as_json(figures))
    elif arguments.json:
        arguments.json.write_text(as_json(figures) + "\n")


def _conditions() -> str:
    return f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


if __name__ == "__main__":
    main()
