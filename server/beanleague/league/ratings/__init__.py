"""Ratings from counted deals: pure functions of numbers, independent of store and referee."""
