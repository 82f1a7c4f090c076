"""Replays of matches in the terminal."""
