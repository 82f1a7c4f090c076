"""Keeping bots from doing harm: layers of confinement, the best of which that works here is used."""
