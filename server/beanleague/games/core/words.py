"""Sentences about questions, actions and events: the template language, and the sentences that games share.

A sentence is a template with slots for fields of an event or action: "{@seat} plants {#kind} in field {+field}".
`{@name}` is a seat or several, `{#name}` kinds of beans, `{$name}` money, `{~name}` cards with texts of their own,
`{+name}` a position, counted from 1, `{name}` a number or a text. A slot may add the name of a number: `{#cards count}`
is "3 cards" for viewers who cannot see the kinds. After "|" follows a short form for several such sentences in a row:
"{} declined".

Sentences address an onlooker and describe events as that viewer saw them; programs only add colours. A browser receives
the templates and fills the slots itself.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, TypeAlias

from beanleague.games.core import moves
from beanleague.games.core.game import Action, Event, Kind, NamedDecision, View
from beanleague.games.core.values import dataclass

THIEF_NAME = "The Bean Thief"
"""Name of the Bean Thief, a player of the dice games without a seat, whose number follows the last seat."""

_SLOT = re.compile(r"\{([@#$~+]?)(\w+)(?: (\w+))?\}")


@dataclass(frozen=True, slots=True)
class Who:
    """Part of a sentence: a player."""

    seat: int
    """Seat of the player; the Bean Thief has the number after the last seat."""


@dataclass(frozen=True, slots=True)
class Beans:
    """Part of a sentence: cards or dice."""

    kinds: tuple[Kind, ...]
    """Kinds of the beans, at least one."""


@dataclass(frozen=True, slots=True)
class Money:
    """Part of a sentence: money."""

    text: str
    """Amount as text, e.g. "$2"."""


Part: TypeAlias = str | Who | Beans | Money
"""Piece of a sentence."""

Value: TypeAlias = int | str | tuple[int, ...] | tuple[str, ...]
"""Value that fills a slot of a sentence."""

Phrase: TypeAlias = tuple[str, Mapping[str, Value]]
"""A sentence with slots, and the values of slots that are not fields."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence about one event or action, as template and values."""

    text: str
    """Sentence with slots."""
    more: Mapping[str, Value]
    """Values of slots that are not fields of `about`."""
    about: object
    """Event or action that the sentence is about."""

    def parts(self, cards: Sequence[str] = ()) -> tuple[Part, ...]:
        """Return the sentence with its slots filled. `cards`: see `GameWords.cards`."""
        found: list[Part] = []
        end = 0
        one = self.text.partition("|")[0]
        for slot in _SLOT.finditer(one):
            found += [one[end : slot.start()], *self._filled(slot[1], slot[2], slot[3], cards)]
            end = slot.end()
        return tuple(part for part in [*found, one[end:]] if part)

    def _filled(self, sort: str, name: str, count: str | None, cards: Sequence[str]) -> Iterator[Part]:
        value: Any = self._value(name)
        several: tuple[Any, ...] = value if isinstance(value, tuple) else (value,)
        if sort in {"#", "~"} and not several:
            yield self._unseen(count)
        elif sort == "#":
            yield Beans(several)
        elif sort == "~":
            yield ", ".join(cards[card] if card < len(cards) else str(card) for card in several)
        elif sort == "@":
            for i, seat in enumerate(several):
                yield from ([", "] if i else [])
                yield Who(seat)
        elif sort == "$":
            yield Money(value if isinstance(value, str) else f"${value}")
        elif sort == "+":
            yield str(value + 1)
        else:
            yield str(value)

    def _unseen(self, count: str | None) -> str:
        """Return words for cards of which none is seen: their number by the name `count`, or "nothing" without it."""
        if not count:
            return "nothing"
        number = self._value(count)
        return "a card" if number == 1 else f"{number} cards"

    def _value(self, name: str) -> Any:  # noqa: ANN401 - a Value
        return self.more[name] if name in self.more else getattr(self.about, name)


def kind_text(kind: str) -> str:
    """Return the name of a kind for people: "black-eyed"."""
    return kind.replace("_", "-")


def plain(parts: Iterable[Part], names: Sequence[str]) -> str:
    """Return a sentence as plain text."""
    return "".join(part_text(part, names) for part in parts)


def by_seat(parts: Iterable[Part], seats: int) -> str:
    """Return a sentence as text that calls players by their seats."""
    return plain(parts, [f"seat {seat}" for seat in range(seats)])


def part_text(part: Part, names: Sequence[str]) -> str:
    """Return a part of a sentence as text. `names`: the players, by seat."""
    match part:
        case Who(seat):
            return names[seat] if seat < len(names) else THIEF_NAME
        case Beans(kinds):  # grouped by kind: "2 blue, soy"
            counted = Counter(kinds).items()
            return ", ".join(kind_text(kind) if count == 1 else f"{count} {kind_text(kind)}" for kind, count in counted)
        case Money(text):
            return text
        case _:
            return part


class Question(NamedTuple):
    """A decision in words."""

    told: str
    """Wording for an onlooker."""
    asked: str = ""
    """Wording for the player who decides, if different."""
    passing: str = "pass"
    """Meaning of `Pass` here."""


PLANT_FIRST = Question("Plant the first card of the hand", "Plant the first card of your hand")
PLANT_SECOND = Question("Plant the next card too?", passing="plant no more")
BETWEEN_TURNS = Question("Anything to do between turns?", passing="go on")

Sentence: TypeAlias = str | Callable[..., Phrase]
"""A sentence, or a method that builds one from an event, or from an action and a view."""


class GameWords:
    """The sentences of a match; it follows the events, since sentences refer to the state of the table.

    Families extend the tables. `player`: speak to the asked player, and name the contents of fields in choices; else
    speak to an onlooker. `cards`: texts of cards that have one, by number.
    """

    EVENTS: ClassVar[Mapping[type[Event], Sentence]]
    """Sentences of events."""
    ACTIONS: ClassVar[Mapping[type[Action], Sentence]]
    """Sentences of actions, e.g. "plant soy in field 1"."""
    QUESTIONS: ClassVar[Mapping[NamedDecision, Question]]
    """Wording of each decision as a question."""
    ASKED: ClassVar[Mapping[NamedDecision, Callable[..., Phrase | None]]] = {}
    """Methods that put a decision to the player who has it, from a view; None stands for the plain question."""
    TIE: ClassVar[str] = ""
    """Description of the player who wins ties in money; "" if tied players share a place."""

    def __init__(self, rules: Any, *, player: bool = False) -> None:  # noqa: ANN401 - each family has its own rules
        self.rules = rules
        self.player = player
        self.cards: tuple[str, ...] = ()

    @property
    def tie(self) -> str:
        """Description of the player who wins ties in money under these rules; "" if tied players share a place."""
        return self.TIE

    def look(self, view: Any) -> None:  # noqa: ANN401 - each family has its own views
        """Take the state of the table from a view, for later sentences."""

    def follow(self, event: Event) -> None:
        """Update the state of the table for later sentences."""

    def event(self, event: Event) -> Said:
        """Return the sentence of the next event as one viewer saw it; events of other families are only named."""
        found = self._sentence(self.EVENTS.get(type(event), type(event).__name__), event)
        self.follow(event)
        return found

    def action(self, action: Action, view: View) -> Said:
        """Return the sentence for `action`, a choice of the view's seat."""
        return self._sentence(self.ACTIONS[type(action)], action, view)

    def line(self, event: Event) -> tuple[Part, ...]:
        """Return the parts of the next event's sentence."""
        return self.event(event).parts(self.cards)

    def choice(self, action: Action, view: View) -> tuple[Part, ...]:
        """Return the parts of the sentence for `action`."""
        return self.action(action, view).parts(self.cards)

    def asks(self, decision: NamedDecision) -> str:
        """Return the decision as a question."""
        question = self.QUESTIONS[decision]
        return (self.player and question.asked) or question.told

    def ask(self, view: View) -> tuple[Part, ...]:
        """Return the parts of the question to the player who has the view's decision: a deal is named in full."""
        asked = self.ASKED.get(view.decision)
        phrase = asked(self, view) if asked else None
        text, more = phrase or (self.asks(view.decision), {})
        return Said(text, more, view).parts(self.cards)

    def _sentence(self, sentence: Sentence, *about: object) -> Said:
        text, more = (sentence, {}) if isinstance(sentence, str) else sentence(self, *about)
        return Said(text, more, about[0])


def field_phrase(words: GameWords, view: Any, field: int, owner: int | None = None) -> Phrase:  # noqa: ANN401 - of cards
    """Return the phrase for a field, e.g. "field 1" for index 0; for a player with its contents: "field 1 (soy)"."""
    lies = view.fields[view.seat if owner is None else owner][field]
    kind = getattr(lies, "kind", None) or getattr(lies, "last", None)
    return ("field {+field} ({#lies})", {"lies": kind}) if kind and words.player else ("field {+field}", {})


def no_room(view: Any, kinds: Sequence[Kind]) -> Phrase | None:  # noqa: ANN401 - of any card game
    """Return the question of a player with no field for any of `kinds`; None if a field takes one of them."""
    if not kinds or any(view.places_for(kind) for kind in kinds):
        return None
    return "No field takes {#kinds}: harvest one first", {"kinds": tuple(kinds)}


def plant_first(_: GameWords, view: Any) -> Phrase | None:  # noqa: ANN401 - of any card game
    """Return the question of a player whose first card fits no field; None if it fits."""
    return no_room(view, view.hand[:1])


def planting(words: GameWords, view: View, field: int, kind: Kind) -> Phrase:
    """Return the phrase for planting a card of `kind` in a field of the view's seat."""
    where, more = field_phrase(words, view, field)
    return f"plant {{#kind}} in {where}", {"kind": kind, **more}


def _harvest(words: GameWords, action: moves.Harvest, view: Any) -> Phrase:  # noqa: ANN401 - of any card game
    where, more = field_phrase(words, view, action.field)
    return f"harvest {where} for {{$dollars}}", {**more, "dollars": view.earns(action.field)}


def ranking(places: Sequence[int], money: Sequence[int | str], tie: str = "") -> Phrase:
    """Return the phrase for the result of a game: every player with place and money, best first.

    `tie`: the rule for equal money, mentioned where it applied.
    """
    order = sorted(range(min(len(places), len(money))), key=lambda seat: places[seat])
    text = ", ".join(f"{places[seat]}. {{@seat{seat}}} {{$money{seat}}}" for seat in order)
    more: dict[str, Value] = {f"seat{seat}": seat for seat in order}
    equal = len(set(money)) < len(set(zip(money, places, strict=False)))
    text += f"; at equal money, {tie} comes first" if equal and tie else ""
    return f"Game over. {text}", {**more, **{f"money{seat}": money[seat] for seat in order}}


SHARED_EVENTS: Mapping[type[Event], Sentence] = {
    moves.TurnStarted: "Turn {turn}: {@seat}",
    moves.Dealt: "{@seat} is dealt {#cards count}",
    moves.Drew: "{@seat} draws {#cards count}",
    moves.Planted: "{@seat} plants {#kind} in field {+field}",
    moves.Passed: "{@seat} plants no second card",
    moves.Harvested: "{@seat} harvests {cards} {#kind} for {$dollars}",
    moves.FieldBought: "{@seat} buys a field for {$price}",
    moves.TurnedOver: "{@seat} turns over {#cards}",
    moves.RanOut: "The draw pile runs out",
    moves.Shuffled: "{cards} discarded cards become the draw pile",
    moves.GameEnded: lambda words, event: ranking(event.places, event.dollars, words.tie),
}
"""Sentences of events that families share."""

SHARED_ACTIONS: Mapping[type[Action], Sentence] = {
    moves.Plant: lambda words, action, view: planting(words, view, action.field, view.hand[0]),
    moves.Pass: lambda words, _, view: (words.QUESTIONS[view.decision].passing, {}),
    moves.Harvest: _harvest,
    moves.BuyField: lambda _, __, view: ("buy a field for {$price}", {"price": view.rules.field_price}),
}
"""Sentences of actions that families share."""


def fault_said(fault: Any) -> Said:  # noqa: ANN401 - a Fault, which the records define
    """Return a sentence that describes a fault."""
    then = "it forfeits, and default actions play on" if fault.forfeited else "the default action is played"
    return Said(f"{{@seat}} fault, {{kind}}: {{reason}}; {then}", {}, fault)
