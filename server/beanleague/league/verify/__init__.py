"""Verification of a league: all stored data are checked against each other."""
