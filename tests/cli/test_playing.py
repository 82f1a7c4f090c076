"""A person plays at a real terminal, with real bots; what is offered has words, and what is typed becomes actions."""

from __future__ import annotations

import os
import random
import re
import sys
from dataclasses import replace
from pathlib import Path

import pexpect
import pytest

from beanleague.cli.playing import PhraseError, action_of, offered
from beanleague.cli.replay.lines import describe, help_on_worth
from beanleague.cli.replay.steps import Step, table_of
from beanleague.games import View, new_game, record_from_json, rulesets, verify
from beanleague.games.bohnanza import BohnanzaView, Counter, Decision, Offer
from beanleague.games.core.words import plain
from beanleague.games.dice import DiceDecision, DiceView, Save
from beanleague.games.families import words_of
from tests.cli.conftest import Run
from tests.waiting import TIMEOUT_S, until

PROGRAM = "from beanleague.cli import main; main(prog_name='beanleague')"
CHOICE = re.compile(r"\n +(\d+)  ([^\r]*)")


def start(folder: Path, *words: str) -> pexpect.spawn[str]:
    """Start `play` in an environment in which it finds only `folder`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BEANLEAGUE")}
    own = {"BEANLEAGUE_DB": str(folder / "a.db"), "XDG_CACHE_HOME": str(folder / "cache"), "TERM": "dumb"}
    arguments, env = ["-c", PROGRAM, "play", *words], {**kept, **own}
    return pexpect.spawn(
        sys.executable, arguments, env=env, encoding="utf-8", dimensions=(40, 120), timeout=TIMEOUT_S, echo=False
    )


def status(terminal: pexpect.spawn[str]) -> int | None:
    """Wait until a program that has closed its terminal ends; return its exit code."""
    until(lambda: not terminal.isalive())
    return terminal.exitstatus


def check(file: Path, ruleset: str) -> None:
    record = record_from_json(file.read_text("utf-8"))
    assert (record.ruleset, record.faults, verify(record).problem) == (ruleset, (), "")
    assert "guest" in record.players


def test_a_match_is_played_by_numbers_and_its_record_is_saved(tmp_path: Path) -> None:
    file = tmp_path / "match.json"
    terminal = start(tmp_path, "--game", "bean-thief-very-hard", "--seed", "beans")
    assert terminal.expect([r"\n> "]) == 0
    terminal.sendline("?")
    terminal.expect("leave the table")
    terminal.sendline("harvest everything")
    terminal.expect("is not a kind of bean in this game")
    terminal.sendline("t")
    terminal.expect("turn 1")
    terminal.expect(r"\n> ")
    terminal.sendline("1")
    chosen = random.Random(5)
    while terminal.expect([r"\n> ", r"Save the record to a file"]) == 0:
        terminal.sendline(chosen.choice([number for number, _ in CHOICE.findall(terminal.before or "")]))
    terminal.sendline(str(file))
    terminal.expect("The record is in")
    terminal.expect(pexpect.EOF)
    assert status(terminal) == 0
    check(file, "bean-thief-very-hard")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "words"),
    [
        ("bohnanza", ["--against", "trader,farmer", "--option", "max_rounds=1", "--interludes"]),
        ("bohnanza-classic", ["--against", "random", "--option", "max_rounds=1"]),
        ("bohnanza-two", ["--against", "gardener"]),
        ("duel", ["--against", "duelist", "--interludes"]),
        ("dice", ["--against", "dicer"]),
    ],
)
def test_a_match_of_every_family_is_played_by_numbers(tmp_path: Path, game: str, words: list[str]) -> None:
    file = tmp_path / "match.json"
    terminal = start(tmp_path, "--game", game, "--seat", "1", "--record", str(file), *words)
    chosen = random.Random(5)
    while (found := terminal.expect([r"\n> ", "your largest mistakes", pexpect.EOF])) == 0:
        numbers = [number for number, words in CHOICE.findall(terminal.before or "") if "ask all" not in words]
        terminal.sendline(chosen.choice(numbers))
    check(file, game)
    assert (found == 1) is (game in {"bohnanza", "bohnanza-classic"})
    if found == 1:
        wanted = game == "bohnanza"
        terminal.sendline("y" if wanted else "")  # a match of bots that play at random takes minutes
        if wanted:
            terminal.expect("What made the chance to win")
        terminal.expect(pexpect.EOF)
    assert status(terminal) == 0


def test_leaving_prints_that_the_match_is_over(tmp_path: Path) -> None:
    terminal = start(tmp_path, "--game", "duel", "--against", "random", "--seat", "0")
    terminal.expect(r"\n> ")
    terminal.sendline("q")
    terminal.expect("You left the table")
    terminal.expect(pexpect.EOF)
    assert status(terminal) == 130


@pytest.mark.parametrize(
    ("words", "code", "why"),
    [
        (
            ["--game", "duel"],
            2,
            "name your opponents, e.g. --against grandmaster; house bots that play duel, strongest first",
        ),
        (["--game", "poker"], 2, "poker"),
        (["--game", "duel", "--against", "random", "--seat", "2"], 2, "the seat must be 0 to 1"),
        (["--game", "duel", "--against", "nobody"], 1, "there is no bot 'nobody'"),
        (["--game", "duel", "--against", "trader"], 1, "trader does not play duel"),
        (["--game", "duel", "--against", "random", "--option", "pace=1"], 1, "duel has no option 'pace'"),
    ],
    ids=["nobody", "game", "seat", "unknown bot", "wrong bot", "option"],
)
def test_why_nothing_can_be_played_is_said_in_a_sentence(
    run: Run, tmp_path: Path, words: list[str], code: int, why: str
) -> None:
    done = run("--db", str(tmp_path / "a.db"), "play", *words, XDG_CACHE_HOME=str(tmp_path))
    assert done.exit_code == code
    assert why in done.stderr
    assert "Traceback" not in done.stderr


IDS = [game.id for game in rulesets()]


@pytest.mark.parametrize("ruleset", IDS)
def test_every_action_that_is_offered_has_words_of_its_own(ruleset: str) -> None:
    game_rules = next(game for game in rulesets() if game.id == ruleset)
    seats = game_rules.least_seats
    game = new_game(ruleset, seats=seats, seed=b"words")
    names = [f"bot{seat}" for seat in range(seats)]
    chosen = random.Random(3)
    for _ in range(150):
        if game.over:
            break
        for seat in game.to_act():
            view = game.view(seat)
            typed = [action for action in view.legal() if not isinstance(action, Offer | Counter)]
            words = words_of(view.rules, player=True)
            question = plain(words.ask(view), names)
            assert question
            assert "{" not in question
            choices = [plain(words.choice(action, view), names) for action in view.legal()]
            assert all(choices)
            assert not [words for words in choices if "{" in words]
            game.apply(seat, chosen.choice(typed))


@pytest.mark.parametrize("ruleset", IDS)
def test_all_that_happened_since_the_last_question_has_lines(ruleset: str) -> None:
    """It may be turns of others, in which the cards between the seats changed more than once."""
    seats = next(game for game in rulesets() if game.id == ruleset).least_seats
    game = new_game(ruleset, seats=seats, seed=b"lines")
    names = [f"bot{seat}" for seat in range(seats)]
    chosen = random.Random(4)
    before = table_of(game.view(0, news=False), seats)
    for _ in range(300):
        if game.over:
            break
        for seat in game.to_act():
            view = game.view(seat)
            if seat == 0:
                table = table_of(view, seats)
                assert all(line.plain for _, line in describe(Step(0, before, table, tuple(view.news)), names))
                before = table
            game.apply(seat, chosen.choice(view.legal()))


def test_choices_that_read_the_same_have_one_number() -> None:
    view = replace(first_save(), faces=("blue",) * 7, rolled=(0, 1, 2))
    words = words_of(view.rules, player=True)
    assert [plain(words.choice(action, view), []) for action in offered(view, words)] == [
        "save 3 blue",
        "save 2 blue",
        "save blue",
        *(["repeat the roll"] if view.piece else []),
    ]


@pytest.mark.parametrize(
    ("ruleset", "line"),
    [
        ("bohnanza", "  stink       3: $1  5: $2  7: $3  8: $4"),
        (
            "dice",
            "A harvest earns by the completed orders of the card: 3 orders $1, 4 orders $2, 5 orders $3.",
        ),
    ],
)
def test_the_values_of_beans_are_printed_on_demand(ruleset: str, line: str) -> None:
    least = next(game for game in rulesets() if game.id == ruleset).least_seats
    view = new_game(ruleset, seats=least, seed=b"x").view(0)
    assert line in help_on_worth(view).plain.split("\n")


def trading(decision: Decision) -> BohnanzaView:
    """Return the first view with this decision in a game of three."""
    game = new_game("bohnanza", seats=3, seed=b"beans")
    while True:
        for seat in game.to_act():
            view = game.view(seat)
            assert isinstance(view, BohnanzaView)
            if view.decision is decision:
                return view
            game.apply(seat, Offer((1, 2), (0,)) if view.decision is Decision.TRADE else view.default())


def first_save() -> DiceView:
    game = new_game("dice", seats=2, seed=b"beans")
    while True:
        (seat,) = game.to_act()
        view = game.view(seat)
        assert isinstance(view, DiceView)
        if view.decision is DiceDecision.SAVE:
            return view
        game.apply(seat, view.default())


def test_an_offer_takes_turned_over_cards_before_those_of_the_hand() -> None:
    view = replace(trading(Decision.TRADE), turned=("soy", "blue"), hand=("red", "soy", "blue", "soy"))
    assert action_of("2 soy, red for 2 chili", view) == Offer((1, 2), (0,), (0, 1), ("chili", "chili"))


def test_a_gift_wants_nothing_and_asking_gives_nothing() -> None:
    view = trading(Decision.TRADE)
    assert action_of(f"{view.turned[0]} for nothing", view) == Offer((1, 2), (0,))
    assert action_of("nothing for soy", view) == Offer((1, 2), wants=("soy",))


def test_a_counter_wants_turned_over_cards_where_they_lie() -> None:
    view = trading(Decision.ANSWER)
    view = replace(view, turned=("soy", "blue"), hand=("red", "chili"))
    assert action_of("chili for blue and stink", view) == Counter((1,), (1,), ("stink",))


def test_dice_are_saved_by_what_they_show() -> None:
    view = first_save()
    kind = view.faces[view.rolled[0]]
    count = sum(view.faces[die] == kind for die in view.rolled)
    saved = action_of(f"{count} {kind}", view)
    assert saved == Save(tuple(die for die in view.rolled if view.faces[die] == kind))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("2 red", "an offer names the beans given and wanted"),
        ("2 gold for soy", "'2 gold' is not a kind of bean in this game; there are: garden, red"),
        ("8 soy for red", "of the cards you may give are soy"),
        ("99 soy for red", "99 cards are too many; name at most 30"),
        ("🫘 for red", "is not a kind of bean in this game"),
        (", for ,", "'' is not a kind of bean in this game"),
        ("0 soy for red", "'0 soy' is not a card; write \"nothing\" for none"),
        ("-1 soy for red", "'-1 soy' is not a kind of bean in this game"),
        ("1.5 soy for red", "'1.5 soy' is not a kind of bean in this game"),
    ],
)
def test_meaningless_input_is_explained(text: str, why: str) -> None:
    with pytest.raises(PhraseError) as problem:
        action_of(text, trading(Decision.TRADE))
    assert why in str(problem.value)


def test_elsewhere_only_numbers_are_understood() -> None:
    view: View = new_game("duel", seats=2, seed=b"x").view(0)
    with pytest.raises(PhraseError, match="choose one of the numbers"):
        action_of("2 red for soy", view)


def rich_in_beans() -> BohnanzaView:
    """Return a view in which one may offer soy, blue and red."""
    return replace(trading(Decision.TRADE), turned=("soy", "blue"), hand=("red", "soy", "blue", "soy"))


@pytest.mark.parametrize(("whom", "seat"), [("ann", 1), ("B", 2), ("2", 2)])
def test_an_offer_can_be_made_to_one_player(whom: str, seat: int) -> None:
    offer = action_of(f"red for chili to {whom}", rich_in_beans(), ("me (you)", "ann@1", "ben@2"))
    assert isinstance(offer, Offer)
    assert offer.to == (seat,)


@pytest.mark.parametrize("whom", ["me", "0", "myself", "Me"])
def test_an_offer_to_oneself_is_refused(whom: str) -> None:
    with pytest.raises(PhraseError, match="you cannot make an offer to yourself"):
        action_of(f"red for chili to {whom}", rich_in_beans(), ("me (you)", "ann@1", "ben@2"))


@pytest.mark.parametrize("whom", ["7", "cid", "", "an ben"])
def test_an_offer_to_nobody_names_the_players(whom: str) -> None:
    with pytest.raises(PhraseError, match="give a seat or a name: 1 ann@1, 2 ben@2"):
        action_of(f"red for chili to {whom}", rich_in_beans(), ("me (you)", "ann@1", "ben@2"))


@pytest.mark.parametrize(
    ("text", "like"),
    [
        ("red for chilli", "red for chili"),
        ("soya for red bean", "soy for red"),
        ("soybeans for nothing", "soy for nothing"),
        ("nothing for 2 blue beans", "nothing for 2 blue"),
        ("nothing for 2blue", "nothing for 2 blue"),
        ("2x soy FOR Chili", "2 soy for chili"),
        ("a  red\tfor a chili", "red for chili"),
        ("Offer red for soy To Ann", "red for soy to 1"),
    ],
)
def test_beans_are_understood_as_people_write_them(text: str, like: str) -> None:
    view, names = rich_in_beans(), ("me (you)", "ann@1", "ben@2")
    assert action_of(text, view, names) == action_of(like, view, names)
