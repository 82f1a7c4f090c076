"""Runs of leagues: deals go to the referee, results to the store, and ratings are updated."""
