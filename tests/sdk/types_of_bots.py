"""What type checkers must find in bots; nothing runs this, mypy reads it.

An ignored error that is not there is an error too.
"""

from beanbot.bohnanza import BohnanzaBot, BohnanzaView, Choice, Harvested, Offer, Stop
from beanbot.duel import DuelBot, DuelView, Give, OfferGift


class Misspells(BohnanzaBot):
    def trade(self, view: BohnanzaView) -> Choice:
        if view.turned[0] == "blu":  # type: ignore[comparison-overlap]
            return Stop()
        if any(isinstance(event, Harvested) and event.kind == "chilli" for event in view.news):  # type: ignore[comparison-overlap]
            return Stop()
        return Offer((1,), wants=("blu",))  # type: ignore[arg-type]

    def pick(self, view: BohnanzaView) -> Choice:
        accepted = [answer for answer in view.answers if answer.answer == "accepted"]  # type: ignore[comparison-overlap]
        return super().pick(view) if accepted else Stop()

    def answer(self, view: BohnanzaView) -> Choice:
        assert view.offer
        view.rules.kind("blu")  # type: ignore[arg-type]
        return "accept"  # type: ignore[return-value]


class MisspellsInTheDuel(DuelBot):
    def give(self, view: DuelView) -> Choice:
        return Give("hands", 0)  # type: ignore[arg-type]

    def offer_gift(self, view: DuelView) -> Choice:
        return OfferGift("blu" if view.hand else "blue")  # type: ignore[arg-type]
