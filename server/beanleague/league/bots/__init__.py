"""Bots on their way into a league: bundles, their check, and where they are unpacked."""
