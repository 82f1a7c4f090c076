"""Types of the values that options take."""
