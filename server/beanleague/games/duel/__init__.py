"""Bohnanza - The Duel: gifts, bluffs and bo(h)nus cards, for two."""
