"""Where the command `beanleague` begins."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command, and end quietly if Ctrl-C comes while it is still being loaded."""
    try:
        from beanleague.cli import main as command

        command()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
