"""Stored matches: records, their JSON, and verification by replay."""
