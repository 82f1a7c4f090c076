from __future__ import annotations

from beanbot import Bot
from beanbot._runtime.advice import advice
from beanbot.bohnanza import BohnanzaBot, BohnanzaView, Choice, Kind
from beanbot.duel import DuelBot


def test_a_method_that_is_nearly_a_decision_is_doubted() -> None:
    class Mine(BohnanzaBot):
        def plant_secnd(self, view: BohnanzaView) -> Choice:
            return view.default()

        def Answer(self, view: BohnanzaView) -> Choice:  # noqa: N802  # a mistake
            return view.default()

    assert list(advice([Mine])) == [
        "Mine.plant_secnd is never called by a game; is plant_second meant?",
        "Mine.Answer is never called by a game; is answer meant?",
    ]


def test_helpers_and_decisions_are_not_doubted() -> None:
    class Mine(BohnanzaBot):
        def answer(self, view: BohnanzaView) -> Choice:
            return view.default()

        def growing(self, view: BohnanzaView) -> list[Kind]:
            return [field.kind for field in view.own_fields if field.kind]

        def _plant_secnd(self) -> None: ...

    assert list(advice([Mine, BohnanzaBot, DuelBot, Bot])) == []


def test_a_method_that_the_bot_calls_itself_is_not_doubted() -> None:
    class Mine(BohnanzaBot):
        def answer(self, view: BohnanzaView) -> Choice:
            return max((choice for choice in self.answers(view)), key=str)

        def answers(self, view: BohnanzaView) -> list[Choice]:
            return [view.default()]

    assert list(advice([Mine])) == []


def test_only_methods_of_its_own_family_are_meant() -> None:
    class Mine(DuelBot):
        def trade_(self) -> None: ...

    assert list(advice([Mine])) == []
