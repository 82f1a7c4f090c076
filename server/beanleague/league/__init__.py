"""Leagues: deals, schedules, running and resuming, ratings, standings."""
