"""Bohnanza for two: no trading; what one does not plant is offered to the other."""
