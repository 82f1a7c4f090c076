"""Bots before they play: bundles, checks, trials, environments, and the cache of unpacked bundles."""
