"""Which tables are played, with which seeds: pure functions, no store and no referee."""
