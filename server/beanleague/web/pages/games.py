"""Game pages: the list, and each game's rules and material."""

import re
from collections import Counter
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from beanleague.games import UnknownRulesetError, new_game
from beanleague.games.bohnanza import CardRules
from beanleague.games.dice import DiceRules
from beanleague.games.duel import DuelRules
from beanleague.web.pages.guide import document, prose
from beanleague.web.site import Site, number_of

_SEED = bytes(16)  # any seed: this game is set up only for its rules
_HEADING = re.compile(r"^## ", re.MULTILINE)
_FOR_AUTHORS = "### What bots are asked\n"
_NAME = re.compile(r"`([a-z0-9*-]+)`")


@cache
def _deck(ruleset: str, seats: int) -> Mapping[str, Any] | None:
    """Return the material of a game; None if this program does not know the game.

    `kinds`: kinds of cards, rarest first. `facts`: other differences between table sizes, as labels and values.
    `bohnus`: (sequence, cents) of bo(h)nus cards with their number; `dice`: faces of dice with their number. `harvest`:
    the orders of each harvest card from top to bottom, with the chance in percent that a first roll meets them.
    """
    try:
        rules = new_game(ruleset, seats=seats, seed=_SEED).view(0).rules
    except UnknownRulesetError:
        return None
    deck: dict[str, Any] = {"kinds": (), "facts": (), "bohnus": (), "dice": (), "harvest": ()}
    if isinstance(rules, CardRules):
        return deck | {"kinds": rules.kinds, "facts": _facts(rules)}
    if isinstance(rules, DuelRules):
        bohnus = Counter((card.sequence, card.worth) for card in rules.bohnus)
        return deck | {"kinds": rules.kinds, "facts": [("Fields", rules.fields)], "bohnus": bohnus.items()}
    if isinstance(rules, DiceRules):
        harvest = [list(zip(card.orders, card.percent, strict=True))[::-1] for card in rules.cards]
        facts = [("Dollars that end the game", rules.target)]
        return deck | {"facts": facts, "dice": Counter(rules.dice).items(), "harvest": harvest}
    return None


def _facts(rules: CardRules) -> list[tuple[str, object]]:
    hands = sorted(set(rules.start_hands))
    price = [("A further field", f"${rules.field_price}")] if rules.field_price else []
    return [
        ("Fields", rules.fields),
        ("First hand", " to ".join(str(hand) for hand in (hands if len(hands) == 1 else (hands[0], hands[-1])))),
        ("Turned over", rules.turned),
        ("Drawn", f"{rules.draws}, by {'everybody' if rules.all_draw else 'the active player'}"),
        ("Last run-out of the pile", rules.run_outs),
        *price,
    ]


@cache
def rules_page(ruleset: str) -> tuple[Markup, Markup] | None:
    """Return the section of rules.md on a ruleset, for players and for bot authors; None if there is none."""
    for section in _HEADING.split(document("rules"))[1:]:
        heading, _, text = section.partition("\n")
        if any(fnmatchcase(ruleset, pattern) for pattern in _NAME.findall(heading)):
            people, _, authors = text.partition(_FOR_AUTHORS)
            return prose(people), prose(authors)
    return None


def games(request: Request) -> Response:
    """Show the list of games."""
    return Site.of(request).page(request, "games.html", title="Games", games=Site.of(request).rulesets())


def game(request: Request) -> Response:
    """Show a game for the requested number of seats."""
    name = request.path_params["ruleset"]
    found = next((each for each in Site.of(request).rulesets() if each.id == name), None)
    if found is None:
        raise HTTPException(404, f"There is no game {name[:60]!r}; see the list of games.")
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
        deck=_deck(name, seats),
        rules=rules_page(name),
    )


routes = {
    "GET /games": games,
    "GET /games/{ruleset}": game,
    "GET /games/{ruleset}/{seats}": game,
}
