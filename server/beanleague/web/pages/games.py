"""The games that can be played: their rules, and what they are played with."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from beanleague.games import Kind, KindRule, UnknownRulesetError, new_game
from beanleague.games.bohnanza import CardRules
from beanleague.games.dice import DiceRules
from beanleague.games.duel import DuelRules
from beanleague.web.pages.guide import document, prose
from beanleague.web.site import Site, number_of
from beanproto.v1.league_pb2 import ListRulesetsRequest, ListRulesetsResponse

_DOLLARS = 4  # that a beanometer may have
_SEED = bytes(16)  # of a game that nobody plays, set up for its rules
_HEADING = re.compile(r"^## ", re.MULTILINE)
_FOR_AUTHORS = "### What bots are asked\n"
_NAME = re.compile(r"`([a-z0-9*-]+)`")
_FRESH_S = 60.0


@dataclass(frozen=True, slots=True)
class KindCard:
    """A kind of the card games."""

    name: Kind
    """The kind."""
    cards: int
    """How many cards there are."""
    needs: Sequence[int]
    """Cards that earn 1, 2, ... dollars; 0 where that many cannot be earned."""


@dataclass(frozen=True, slots=True)
class Bohnus:
    """A bo(h)nus card, and how many there are of it."""

    sequence: Sequence[int]
    """Run lengths, in planting order."""
    cents: int
    """Cents that it is worth, with its dollar."""
    number: int
    """How many there are."""


@dataclass(frozen=True, slots=True)
class Die:
    """Dice with the same faces."""

    faces: Sequence[Kind]
    """The faces."""
    number: int
    """How many there are."""


@dataclass(frozen=True, slots=True)
class ShownHarvest:
    """A harvest card."""

    orders: Sequence[tuple[str, int]]
    """From top to bottom: the order, and the chance in percent that a first roll meets it."""


@dataclass(frozen=True, slots=True)
class ShownDeck:
    """What a game is played with."""

    kinds: Sequence[KindCard] = ()
    """The cards, rarest first."""
    facts: Sequence[tuple[str, str]] = ()
    """What else differs between table sizes, as labels and values."""
    bohnus: Sequence[Bohnus] = ()
    """Bo(h)nus cards."""
    dice: Sequence[Die] = ()
    """The dice."""
    harvest: Sequence[ShownHarvest] = ()
    """Harvest cards."""

    @property
    def cards(self) -> int:
        """How many bean cards there are."""
        return sum(kind.cards for kind in self.kinds)


@cache
def deck(ruleset: str, seats: int) -> ShownDeck | None:
    """Return what a game is played with; None if this program does not know the game."""
    try:
        rules = new_game(ruleset, seats=seats, seed=_SEED).view(0).rules
    except UnknownRulesetError:
        return None
    if isinstance(rules, CardRules):
        return ShownDeck(_kinds(rules.kinds), _facts(rules))
    if isinstance(rules, DuelRules):
        return ShownDeck(_kinds(rules.kinds), (("Fields", str(rules.fields)),), _bohnus(rules))
    if isinstance(rules, DiceRules):
        return _dice(rules)
    return None


def _kinds(kinds: Sequence[KindRule]) -> list[KindCard]:
    return [KindCard(kind.name, kind.cards, (*kind.beanometer, *(0,) * _DOLLARS)[:_DOLLARS]) for kind in kinds]


def _facts(rules: CardRules) -> tuple[tuple[str, str], ...]:
    hands = sorted(set(rules.start_hands))
    price = (("A further field", f"${rules.field_price}"),) if rules.field_price else ()
    return (
        ("Fields", str(rules.fields)),
        ("First hand", " to ".join(str(hand) for hand in (hands if len(hands) == 1 else (hands[0], hands[-1])))),
        ("Turned over", str(rules.turned)),
        ("Drawn", f"{rules.draws}, by {'everybody' if rules.all_draw else 'the active player'}"),
        ("Last run-out of the pile", str(rules.run_outs)),
        *price,
    )


def _bohnus(rules: DuelRules) -> list[Bohnus]:
    every = [(card.sequence, card.worth) for card in rules.bohnus]
    return [Bohnus(*card, every.count(card)) for card in dict.fromkeys(every)]


def _dice(rules: DiceRules) -> ShownDeck:
    return ShownDeck(
        facts=(("Dollars that end the game", str(rules.target)),),
        dice=[Die(faces, rules.dice.count(faces)) for faces in dict.fromkeys(rules.dice)],
        harvest=[
            ShownHarvest([(str(order), chance) for order, chance in zip(card.orders, card.percent, strict=True)][::-1])
            for card in rules.cards
        ],
    )


@cache
def rules_page(ruleset: str) -> tuple[Markup, Markup] | None:
    """Return the section about a ruleset: for people, and what is for authors of bots; None if there is no section."""
    for section in _HEADING.split(document("rules"))[1:]:
        heading, _, text = section.partition("\n")
        if any(fnmatchcase(ruleset, pattern) for pattern in _NAME.findall(heading)):
            people, _, authors = text.partition(_FOR_AUTHORS)
            return prose(people), prose(authors)
    return None


def games(request: Request) -> Response:
    """Show the list of games."""
    return Site.of(request).page(request, "games.html", title="Games", games=_rulesets(request).rulesets)


def game(request: Request) -> Response:
    """Show a game, as it is at a table of the wanted size."""
    name = request.path_params["ruleset"]
    found = next((each for each in _rulesets(request).rulesets if each.id == name), None)
    if found is None:
        raise HTTPException(404, f"There is no game {name[:60]!r}; the list of games has all.")
    sizes = range(found.least_seats, found.most_seats + 1)
    wanted = request.path_params.get("seats")
    seats = sizes[0] if wanted is None else number_of(wanted, "a number of seats")
    if seats not in sizes:
        raise HTTPException(404, f"{name} is for {sizes[0]} to {sizes[-1]} seats.")
    return Site.of(request).page(
        request,
        "game.html",
        title=name,
        game=found,
        sizes=sizes,
        seats=seats,
        deck=deck(name, seats),
        rules=rules_page(name),
    )


def _rulesets(request: Request) -> ListRulesetsResponse:
    site = Site.of(request)
    return site.reader.get(site.stub.ListRulesets, ListRulesetsRequest(), fresh=_FRESH_S)


routes = [
    Route("/games", games),
    Route("/games/{ruleset}", game),
    Route("/games/{ruleset}/{seats}", game),
]
