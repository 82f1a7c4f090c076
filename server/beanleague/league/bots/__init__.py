"""Bots before they play: bundles, checks, trials, environments, the cache."""
