"""Ratings from counted deals: pure functions of numbers, no store and no referee."""
