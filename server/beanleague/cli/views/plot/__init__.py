"""Ratings as a picture in a file, drawn by matplotlib (the extra `plot`)."""

from beanleague.cli.views.plot.picture import write_plot

__all__ = ["write_plot"]
