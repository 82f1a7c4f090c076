"""Output of commands: tables, plots, progress and JSON."""
