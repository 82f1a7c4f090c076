"""The dice games: one engine, two editions, and the solo game against the Bean Thief."""
