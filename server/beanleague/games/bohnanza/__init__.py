"""The card games: one engine, parameterised by the rules of a ruleset at a table size."""
