"""What commands print: tables, plots, progress and JSON."""
