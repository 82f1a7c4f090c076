"""The command line: click commands and rich views on top of the gRPC service."""

from beanleague.cli.app import app as main

__all__ = ["main"]
