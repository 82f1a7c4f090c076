"""Ladders: leagues without a last deal, into which bots are entered while they run."""
