"""Matches as they are kept: records, their JSON, and playing them again to verify them."""
