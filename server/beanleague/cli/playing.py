"""Playing at a terminal: display of the match, and input as a number or as text like "2 red for soy"."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from rich.console import Console
from rich.text import Text

from beanleague.cli.replay.lines import describe, help_on_worth, picture, sentence
from beanleague.cli.replay.steps import ReplayTable, Step, steps, table_of
from beanleague.games import Action, IllegalActionError, Kind, Record, View
from beanleague.games.bohnanza import Accept, BohnanzaView, Counter, Decision, Offer, Pick
from beanleague.games.core.words import GameWords, Part, kind_text, plain
from beanleague.games.dice import DiceDecision, DiceView, Save
from beanleague.games.families import words_of
from beanleague.seat import Began, Faulted, GuestAsked, GuestSeat, Over, check_action

_TYPED = {
    "TRADE": 'type it: "2 red for soy", or to one player: "2 red for soy to ann"',
    "ANSWER": 'type a counter-offer: "2 red for soy"',
    "SAVE": 'or type them: "2 blue, red"',
}
_MAX_WAYS = 9  # maximum choices listed for cards of the same kinds, or for dice to save


class LeftError(Exception):
    """Raised when the person leaves the table."""


def play(console: Console, seat: GuestSeat, ask: Callable[[str], str]) -> Record | None:
    """Play the match of `seat`; return its record, None if the stream ended without one.

    `ask`: shows a prompt and returns the typed text.

    Raises:
        LeftError: the person left.
        grpc.RpcError: see `GuestSeat`.
        WireError: see `GuestSeat`.
    """
    names: tuple[str, ...] = ()
    before: ReplayTable[View] | None = None
    for heard in seat:
        match heard:
            case Began():
                names = tuple(f"{name} (you)" if i == heard.seat else name for i, name in enumerate(heard.names))
                console.print(Text(f"You have seat {heard.seat} in a match of {heard.ruleset}. ? is for help."))
            case GuestAsked():
                view: View = replace(heard.view)  # converts the view completely, so that all fields can be read
                table = table_of(view, len(names))
                for _, line in describe(Step(0, before or table, table, tuple(view.news)), names):
                    console.print(line)
                console.print()
                console.print(picture(table, names, "", console.width, before=before))
                before = table
                seat.play(_decide(console, view, names, ask))
            case Faulted():
                console.print(
                    Text(f"This could not be used: {heard.reason}. A simple action was played instead.", "red")
                )
            case Over():
                _end(console, heard.record, names)
                return heard.record
    return None


def _decide(console: Console, view: View, names: Sequence[str], ask: Callable[[str], str]) -> Action:
    """Return the action that the person chooses by number or types as text; answer requests for help first."""
    words = words_of(view.rules, player=True)
    choices = offered(view, words)
    _print_choices(console, view, choices, words, names)
    while True:
        typed = ask("> ").strip()
        if typed.lower() in {"q", "quit"}:
            raise LeftError
        if typed in {"?", "h", "help"}:
            console.print(Text(HELP))
        elif typed == "t":
            console.print(picture(table_of(view, len(names)), names, "", console.width))
        elif typed == "w":
            console.print(help_on_worth(view))
        elif (number := _number(typed)) in range(1, len(choices) + 1):
            return choices[number - 1]
        elif typed:
            try:
                action = action_of(typed, view, names)
                check_action(view, action)
            except (PhraseError, IllegalActionError) as problem:
                console.print(Text(f"{problem}.", "yellow"))
            else:
                return action


def _print_choices(
    console: Console, view: View, choices: Sequence[Action], words: GameWords, names: Sequence[str]
) -> None:
    hint = _TYPED.get(view.decision.name)
    asked = plain(words.ask(view), names)
    console.print(Text.assemble((asked, "bold"), (f"; {hint}" if hint else "", "dim")))
    for number, action in enumerate(choices, 1):
        console.print(Text.assemble(f"  {number:2}", sentence(words.choice(action, view), names)))


def _number(typed: str) -> int:
    """Return the number typed, cut to four digits; -1 for other text."""
    return int(typed[:4]) if typed.isascii() and typed.isdecimal() else -1


def offered(view: View, words: GameWords) -> list[Action]:
    """Return the actions to number, one per distinct sentence; other offers and saves must be typed."""
    found: dict[tuple[Part, ...], Action] = {}
    ways: dict[type[Action], int] = {}
    for action in sorted(view.legal(), key=lambda action: -len(action.dice) if isinstance(action, Save) else 0):
        if isinstance(action, Offer | Counter) or (choice := words.choice(action, view)) in found:
            continue
        ways[type(action)] = ways.get(type(action), 0) + 1
        limited = isinstance(action, Accept | Pick | Save) and ways[type(action)] > _MAX_WAYS
        if not limited:
            found[choice] = action
    return list(found.values())


def _end(console: Console, record: Record, names: Sequence[str]) -> None:
    """Print the final table with all its cards, and the result."""
    *_, last = steps(record)
    console.print()
    console.print(picture(last.table, names, "", console.width))
    for _, line in list(describe(last, names))[-1:]:
        console.print(line)


HELP = """\
  a number      choose the action with this number
  2 red for soy offer two red beans for a soy bean; "2 red for nothing" is a
                gift, "nothing for soy" asks for one; " to ann" or " to 2" at the
                end: to this player or seat alone
  2 blue, red   in the dice games: save these dice
  t             show the table again
  w             show what beans are worth
  ?             this help
  q             leave the table, which ends the match"""

_PART = re.compile(r"(?:(\d{1,2})(?:\s*x\s)?\s*|an?\s+)?([a-z-]+?)(?:s|\s*beans?)?")
_SPELLINGS = {"chilli": "chili", "soya": "soy", "cacao": "cocoa", "stinky": "stink"}
"""Accepted alternative spellings of kinds."""
_MAX_CARDS = 30


class PhraseError(Exception):
    """Raised when typed text is not understood; the message gives the reason."""


def action_of(text: str, view: View, names: Sequence[str] = ()) -> Action:
    """Return the action described by `text`. `names`: players by seat, for offers to one of them.

    Raises:
        PhraseError: if it describes none.
    """
    text = " ".join(text.lower().split())
    if isinstance(view, BohnanzaView) and view.decision in {Decision.TRADE, Decision.ANSWER}:
        return _proposal(text, view, names)
    if isinstance(view, DiceView) and view.decision is DiceDecision.SAVE:
        faces = [kind for die in view.rolled if (kind := view.faces[die])]
        places = _take(_kinds(text, faces), faces, "of these dice show")
        return Save(tuple(sorted(view.rolled[i] for i in places)))
    raise PhraseError("choose one of the numbers; ? shows what else can be typed")


def _proposal(text: str, view: BohnanzaView, names: Sequence[str]) -> Action:
    others = tuple(seat for seat in range(len(view.hand_sizes)) if seat != view.seat)
    if view.decision is Decision.TRADE:
        # also accepts "red for soy to": an offer addressed to no seat
        text, word, whom = f"{text} ".removeprefix("offer ").partition(" to ")
        if word:
            others = (_player(whom.strip(), view.seat, others, names),)
    given, word, wanted = text.partition(" for ")
    if not word:
        raise PhraseError('an offer names the beans given and wanted: "2 red for soy"')
    known = [kind.name for kind in view.rules.kinds]
    gives, wants = _kinds(given, known), _kinds(wanted, known)
    if view.decision is Decision.TRADE:
        turned = _present(gives, view.turned)
        hand = _take(_without(gives, [view.turned[i] for i in turned]), view.hand, "of the cards you may give are")
        return Offer(others, turned, hand, tuple(wants))
    turned = _present(wants, view.turned)
    left = _without(wants, [view.turned[i] for i in turned])
    return Counter(_take(gives, view.hand, "cards of your hand are"), turned, tuple(left))


def _player(text: str, own: int, others: Sequence[int], names: Sequence[str]) -> int:
    """Return the seat of the player with this name prefix or seat number. `own`: the seat of the typing player."""
    if text in {"me", "myself", str(own)}:
        raise PhraseError("you cannot make an offer to yourself")
    if (seat := _number(text)) in others:
        return seat
    fits = [seat for seat in others if seat < len(names) and names[seat].lower().startswith(text.lower())]
    if not text or len(fits) != 1:
        shown = ", ".join(f"{seat} {''.join(names[seat : seat + 1])}".rstrip() for seat in others)
        raise PhraseError(f"{text!r} does not name one player; give a seat or a name: {shown}")
    return fits[0]


def _kinds(text: str, known: Iterable[Kind]) -> list[Kind]:
    """Return the kinds in a text such as "2 red, soy"."""
    shown = {kind_text(kind): kind for kind in known}
    named = shown | {other: shown[word] for other, word in _SPELLINGS.items() if word in shown}
    if text.strip().lower() in {"nothing", ""}:
        return []
    found: list[Kind] = []
    for part in re.split(r",|\band\b|\+", text.lower().replace("black eyed", "black-eyed")):
        if re.match(r"\s*0+(?!\d)", part):
            raise PhraseError(f'{part.strip()!r} is not a card; write "nothing" for none')
        try:
            found += _cards(part.strip(), named)
        except KeyError:
            raise PhraseError(
                f"{part.strip()!r} is not a kind of bean in this game; there are: {', '.join(shown)}"
            ) from None
    if len(found) > _MAX_CARDS:
        raise PhraseError(f"{len(found)} cards are too many; name at most {_MAX_CARDS}")
    return found


def _cards(text: str, named: Mapping[str, Kind]) -> list[Kind]:
    """Return the cards in a text such as "2 red"; the start of a name is enough if it fits one kind.

    Raises:
        KeyError: if it fits no kind, or several.
    """
    match = _PART.fullmatch(text)
    if match is None:
        raise KeyError(text)
    name = match[2].replace("_", "-")
    fits = {kind for words, kind in named.items() if words.startswith(name)} if name else set()
    kind = fits.pop() if len(fits) == 1 else named[name]
    return [kind] * int(match[1] or 1)


def _present(wanted: Sequence[Kind], cards: Sequence[Kind]) -> tuple[int, ...]:
    """Return the positions in `cards` of the wanted kinds, as far as present."""
    left = list(wanted)
    found = []
    for position, kind in enumerate(cards):
        if kind in left:
            left.remove(kind)
            found.append(position)
    return tuple(found)


def _without(kinds: Sequence[Kind], taken: Iterable[Kind]) -> list[Kind]:
    left = list(kinds)
    for kind in taken:
        left.remove(kind)
    return left


def _take(wanted: Sequence[Kind], cards: Sequence[Kind], where: str) -> tuple[int, ...]:
    found = _present(wanted, cards)
    for kind in dict.fromkeys(wanted):
        if wanted.count(kind) > cards.count(kind):
            raise PhraseError(f"only {cards.count(kind)} {where} {kind_text(kind)}")
    return found
