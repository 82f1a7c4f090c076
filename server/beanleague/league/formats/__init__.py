"""Formats: how the tables of a league are chosen, how it is played, and how it is verified."""
