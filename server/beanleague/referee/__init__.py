"""Plays matches between bot processes: starting them, asking them, timing them, and judging their faults."""
