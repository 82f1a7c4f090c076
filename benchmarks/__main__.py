"""python -m benchmarks [--json FILE] [NAME ...]: measure, and print a table; NAMEs are engine, league, startup, ..."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
from pathlib import Path

from beanleague.__main__ import use_one_thread
from benchmarks.figures import Figure, as_json, table

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
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(NAMES))
    if unknown:
        parser.error(f"no benchmark is called {unknown[0]}; there are: {', '.join(NAMES)}")
    use_one_thread()  # as the command does
    figures: list[Figure] = []
    for name in arguments.names or NAMES:
        figures += importlib.import_module(f"benchmarks.{name}").measure()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print(table(figures))
    if arguments.json and str(arguments.json) == "-":
        print(as_json(figures))
    elif arguments.json:
        arguments.json.write_text(as_json(figures) + "\n")


if __name__ == "__main__":
    main()
