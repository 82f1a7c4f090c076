"""Rule for Bohnanza for two: harvest cheap fields to plant kinds that come in numbers."""

from __future__ import annotations

from beanbot.two import BohnanzaTwoBot, BohnanzaTwoView, Choice, Harvest, Pass, PlantOpen, least_loss


class Gardening(BohnanzaTwoBot):
    """Player that makes room for drawn cards, since there are many, and the opponent plants the rest."""

    news = False

    def plant_drawn(self, view: BohnanzaTwoView) -> Choice:
        """Plant growing kinds; then make room for others, the kind with most open cards first."""
        growing = [field.kind for field in view.own_fields]
        for card, kind in enumerate(view.open):
            if kind in growing:
                return PlantOpen(card, growing.index(kind))
        for card, kind in sorted(enumerate(view.open), key=lambda drawn: -view.open.count(drawn[1])):
            if places := view.places_for(kind):
                return PlantOpen(card, places[0])
            field = least_loss(view)
            if view.earns(field) or (view.own_fields[field].count == 1 and view.open.count(kind) > 1):
                return Harvest(field)
        return Pass()
