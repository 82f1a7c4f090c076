"""What things cost, measured side by side in one run: `python -m benchmarks`."""
