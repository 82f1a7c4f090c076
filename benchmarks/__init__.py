"""Benchmarks that compare costs side by side in one run: `python -m benchmarks`."""
