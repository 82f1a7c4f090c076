"""Rule for the duel: offer cards that are useless to the opponent."""

from __future__ import annotations

from beanbot.duel import Choice, DuelBot, DuelView, Kind, OfferGift


class Giving(DuelBot):
    """Player that chooses gifts well, since the opponent has to accept one or offer one in turn."""

    news = False

    def offer_gift(self, view: DuelView) -> Choice:
        """Offer the card that fits the opponent's fields least, preferring one that does not fit the bot's fields."""
        turned = view.turned if view.seat == view.active else ()
        kinds = [kind for kind in dict.fromkeys(turned + view.hand) if kind not in view.offered]
        if not kinds:
            return super().offer_gift(view)  # offer as a bluff
        return OfferGift(min(kinds, key=lambda kind: (fits(view, 1 - view.seat, kind), fits(view, view.seat, kind))))


def fits(view: DuelView, seat: int, kind: Kind) -> bool:
    """Return whether a non-empty field of `seat` takes a card of `kind`."""
    return any(field.cards and view.rules.may_follow(kind, field.last) for field in view.fields[seat])
