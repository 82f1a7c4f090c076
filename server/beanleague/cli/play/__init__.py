"""Playing at a terminal: what can be done in words, what is typed as actions, and the course of a match."""
