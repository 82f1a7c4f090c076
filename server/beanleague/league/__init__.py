"""Deals, schedules, running and resuming, ratings, standings."""
