"""The site as files, for any static host."""

from beanleague.web.export.export import Counts, ExportError, export

__all__ = ["Counts", "ExportError", "export"]
