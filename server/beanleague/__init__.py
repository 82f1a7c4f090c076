"""Beanleague: a tournament platform for programs that play the Bohnanza family of games."""

__version__ = "0.2.0"
