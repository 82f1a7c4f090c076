"""The course of a match: chances, luck and play."""

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest

from beanbot.analyse import as_object, lines, main
from beanbot.analysis.course import PRIOR, PRIOR_ALONE, VERSION, AnalysisError, Course, Expected, course
from beanbot.analysis.market import market
from beanbot.analysis.mistakes import MistakenMove, mistakes
from beanbot.analysis.weighing import Weighing
from beanbot.analysis.yardstick import otherwise
from beanbot.bohnanza import (
    BohnanzaBot,
    BohnanzaView,
    BuyField,
    Choice,
    Decision,
    Harvest,
    Pass,
    Pick,
    Plant,
    Refuse,
)
from beanbot.bot import Bot
from beanbot.dice import DiceBot
from beanbot.duel import DuelBot
from beanbot.policies.farmer import Farmer
from beanbot.policies.trader import Trader
from beanbot.policies.trading import TradingBot
from beanbot.practice import deals
from beanbot.thief import ThiefBot
from beanbot.two import BohnanzaTwoBot
from beanleague.games import Record, new_game, record_to_json
from beanleague.games.bohnanza.flat_trading import TRADE, FlatBohnanza
from beanleague.games.bohnanza.game import Bohnanza

TABLES = [("bohnanza", 3), ("bohnanza", 5), ("bohnanza-extended", 7), ("bohnanza-classic", 4)]


class Careless(Trader):
    """Plants and harvests at random every other time."""

    def decide(self, view: BohnanzaView) -> Choice:
        return self.random.choice(view.legal()) if self.random.random() < 0.5 else super().decide(view)


@cache
def played(*bots: type[Bot[Any]], game: str = "bohnanza") -> Record:
    kept: list[Record] = []
    next(deals(bots, game=game, keep=kept.append, report=lambda *_: None, lenient=True))
    return kept[0]


def mistaken(seat: int, loss: float) -> MistakenMove:
    return MistakenMove(1, 1, seat, "harvest", "harvest field 1", "plant soy", Expected(loss, 0.01))


@cache
def traded() -> Course:
    return course(played(Trader, Trader, Trader), play_outs=2, draws=2)


def flat(ruleset: str, seats: int, number: int) -> FlatBohnanza:
    game, random = new_game(ruleset, seats=seats, seed=b"market %d" % number), Random(number)
    assert isinstance(game, Bohnanza)
    return FlatBohnanza.of(game, lambda cards: random.sample(cards, len(cards)))


@pytest.mark.parametrize(("ruleset", "seats"), TABLES)
def test_the_quick_trader_plays_every_table_to_its_end_and_keeps_all_cards(ruleset: str, seats: int) -> None:
    for number in range(3):
        table = flat(ruleset, seats, number)
        player = market(table.rules)
        while table.decision:
            player(table, table.asked[0])
            lying = sum(map(len, (*table.hands, *table.aside, table.pile, table.discard, table.turned, *table.earned)))
            assert lying + sum(map(sum, table.counts)) == table.rules.cards
        assert table.outcome is not None
        assert sum(table.outcome.scores) > 6 * seats  # farmers, who never trade, have 4 each


def test_the_quick_trader_trades_where_both_sides_gain() -> None:
    table = flat("bohnanza", 3, 0)
    player = market(table.rules)
    while table.decision != TRADE:
        player(table, table.asked[0])
    table.turned, table.aside, table.hands = [7], [[], [], []], [[], [6], [6]]
    table.grows, table.counts = [[6, 3], [7, 5], [1, 2]], [[3, 4], [3, 2], [2, 2]]
    table.active, table.asked = 0, [0]
    player(table, 0)
    assert table.aside == [[6], [7], []]


def test_shares_add_up_to_the_result_and_what_one_seat_gains_others_lose() -> None:
    shares = traded().shares
    for share in shares:
        assert 1 / 3 + share.deal + share.luck + share.play + share.others == pytest.approx(share.won)
    assert sum(share.luck for share in shares) == pytest.approx(0)
    assert sum(share.play + share.others for share in shares) == pytest.approx(0)


def test_shares_begin_at_the_first_chances() -> None:
    for share, chance in zip(traded().shares, traded().moments[0].chances, strict=True):
        assert 1 / 3 + share.deal == pytest.approx(chance.mean)


def test_every_turn_has_chances_that_add_up_to_one() -> None:
    record, moments = played(Trader, Trader, Trader), traded().moments
    assert [moment.turn for moment in moments] == list(range(1, len(moments) + 1))
    assert [moment.active for moment in moments[:4]] == [0, 1, 2, 0]
    for moment in moments:
        assert record.moves[moment.move].seat == moment.active
        assert sum(chance.mean for chance in moment.chances) == pytest.approx(1)
        assert all(1 <= place.mean <= 3 for place in moment.places)


def test_the_error_is_that_of_the_play_outs_and_of_those_the_estimate_counts_as() -> None:
    farmed = course(played(Farmer, Farmer, Farmer), play_outs=2, draws=1)
    for found, prior in ((traded(), PRIOR), (farmed, PRIOR_ALONE)):
        weight = found.play_outs + prior
        for chance in (chance for moment in found.moments for chance in moment.chances):
            assert 0 < chance.mean < 1
            assert chance.error == pytest.approx((chance.mean * (1 - chance.mean) / weight) ** 0.5)


def test_the_same_match_has_the_same_course() -> None:
    again = course(played(Trader, Trader, Trader), play_outs=2, draws=2)
    assert again == traded()


def test_a_bad_player_loses_by_play_and_not_by_luck() -> None:
    share = course(played(Careless, Trader, Trader), play_outs=2, draws=10).shares[0]
    assert share.play < -0.2
    assert share.play < share.luck


def test_a_match_without_a_trade_is_played_on_by_farmers() -> None:
    last = course(played(Farmer, Farmer, Farmer), play_outs=20, draws=1).moments[-1]
    assert max(chance.mean for chance in last.chances) > 0.9


@pytest.mark.slow
def test_a_random_player_makes_mistakes_and_each_is_said_with_what_was_better() -> None:
    record = played(Careless, Trader, Trader, Trader)
    found = mistakes(record, 0, first=4, more=20)
    lost, usual = (
        sum(each.loss.mean for each in made if each.kind == "harvest")
        for made in (found, mistakes(record, 1, first=4, more=20))
    )
    assert lost > usual + 0.1
    assert [mistake.move for mistake in found] == sorted(mistake.move for mistake in found)
    for mistake in found:
        assert record.moves[mistake.move].seat == 0
        assert mistake.loss.mean > 3 * mistake.loss.error
        assert mistake.played != mistake.better


class Unbuying(Trader):
    """Buys no field."""

    def decide(self, view: BohnanzaView) -> Choice:
        return super(TradingBot, self).decide(view)


def test_purchases_of_a_trader_are_no_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    record, decisions = played(Trader, Trader, Trader, Trader, game="bohnanza-classic"), Weighing.decisions
    buyers = {move: made.seat for move, made in enumerate(record.moves) if made.action == BuyField()}
    assert len(buyers) > 1
    monkeypatch.setattr(Weighing, "decisions", lambda self: (each for each in decisions(self) if each[0] in buyers))
    assert [mistake for seat in buyers.values() for mistake in mistakes(record, seat)] == []


def test_a_bot_that_buys_no_field_is_not_told_that_it_gains() -> None:
    record = played(Unbuying, Trader, Trader, Trader, game="bohnanza-classic")
    found = otherwise(record, 0, Trader, games=12)
    assert {each.kind for each in found} == {"buys no field"}
    assert sum(each.loss.mean for each in found) > 0


def test_a_second_card_is_played_to_the_end_and_other_plantings_to_the_next_draw() -> None:
    weighing = Weighing(played(Trader, Trader, Trader), 0)
    for _, view in weighing.decisions():
        if view.decision is Decision.PLANT_SECOND and view.harvestable and not view.run_outs:
            break
    plant, harvest = (next(each for each in view.legal() if type(each) is kind) for kind in (Plant, Harvest))
    games = weighing.games(view, 2)
    whole, part = (6 * weighing.loss(games, plant, instead).mean for instead in (Pass(), harvest))
    assert whole == pytest.approx(round(whole))  # shares of wins
    assert part != pytest.approx(round(part))


def test_an_answer_that_was_refused_is_no_mistake_whatever_is_picked_later(monkeypatch: pytest.MonkeyPatch) -> None:
    record, decisions = played(Trader, Careless, Careless), Weighing.decisions
    answer, end, later = (record.moves[move] for move in (54, 55, 59))
    assert (answer.seat, end.action, later.action) == (1, Refuse(), Pick(1))
    monkeypatch.setattr(Weighing, "decisions", lambda self: (each for each in decisions(self) if each[0] == 54))
    assert mistakes(record, 1, first=2, more=4) == ()


@pytest.mark.parametrize(
    ("game", "bot"),
    [("dice", DiceBot), ("duel", DuelBot), ("bohnanza-two", BohnanzaTwoBot)],
)
def test_other_games_are_played_on_by_default_and_have_no_shares(game: str, bot: type[Bot[Any]]) -> None:
    kept: list[Record] = []
    next(deals([bot, bot], game=game, keep=kept.append))
    record, found = kept[0], course(kept[0], play_outs=2)
    assert found.shares == ()
    assert [moment.turn for moment in found.moments] == sorted({moment.turn for moment in found.moments})
    for moment in found.moments:
        assert sum(chance.mean for chance in moment.chances) == pytest.approx(1)
        assert record.moves[moment.move - 1].seat != moment.active or not moment.move
    assert "defaults of the SDK" in "\n".join(lines(as_object(record, found, ())))
    assert course(record, play_outs=2) == found


def test_alone_the_chance_is_that_to_beat_the_thief() -> None:
    kept: list[Record] = []
    next(deals([ThiefBot], game="bean-thief-easy", seats=1, keep=kept.append))
    chances = [moment.chances[0].mean for moment in course(kept[0], play_outs=2).moments]
    assert chances[0] < 1
    assert all(0 <= chance <= 1 for chance in chances)


@pytest.mark.parametrize("kept", ["game", "rules", "moves", "end", "end of dice"])
def test_a_match_that_cannot_be_analysed_is_refused(kept: str) -> None:
    record, dice = played(BohnanzaBot, BohnanzaBot, BohnanzaBot), played(DiceBot, DiceBot, game="dice")
    wrong, why = {
        "game": (replace(dice, ruleset="dice-3000"), "dice-3000"),
        "rules": (replace(record, rules=1), "rules"),
        "moves": (replace(record, moves=record.moves[1:]), "cannot be replayed"),
        "end": (replace(record, moves=record.moves[:-1]), "ends before the match is over"),
        "end of dice": (replace(dice, moves=dice.moves[:-1]), "ends before the match is over"),
    }[kept]
    with pytest.raises(AnalysisError, match=why):
        course(wrong, play_outs=2, draws=1)


def test_the_course_is_told_in_lines_and_as_json() -> None:
    found = as_object(played(Trader, Trader, Trader), traded(), [mistaken(0, 0.1), mistaken(1, 0.2)])
    text = "\n".join(lines(found))
    assert "turn  move    0 Trader    1 Trader    2 Trader" in text
    assert "deal    luck  decisions     won" in text
    share = traded().shares[0]
    parts = (share.deal, share.luck, share.play + share.others)
    assert re.search(" +".join(("0 Trader", *[re.escape(f"{100 * part:+.0f}") for part in parts])), text)
    assert text.count("better: ") == 2
    assert json.loads(json.dumps(found))["moments"][0]["chances"][0].keys() == {"mean", "error"}


def test_ratings_count_as_much_as_there_is_left_of_the_match() -> None:
    found = traded()
    alike, first = found.by_strength([1500, 1500, 1500]), found.by_strength([1900, 1500, 1500])
    equal = [[chance.mean for chance in moment.chances] for moment in found.moments]
    assert [chance for each in alike for chance in each] == pytest.approx([chance for each in equal for chance in each])
    one, two, three = equal[0]
    assert first[0] == pytest.approx([part / (10 * one + two + three) for part in (10 * one, two, three)])
    number = len(equal) // 2
    left = 1 - number / len(equal)
    odds = [first[number][0] / chance for chance in first[number][1:]]
    assert odds == pytest.approx([10**left * equal[number][0] / chance for chance in equal[number][1:]])


def test_chances_by_ratings_stand_in_brackets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = as_object(played(Trader, Trader, Trader), traded(), [], [1900, 1500, 1500])
    assert found["by_strength"][0] == [round(chance, 4) for chance in traded().by_strength([1900, 1500, 1500])[0]]
    begin = next(line for line in lines(found) if line.startswith("   1     0"))
    places = [f"{place['mean']:.1f}" for place in found["moments"][0]["places"]]
    assert re.findall(r"\) +(\d\.\d)", begin) == places
    assert re.findall(r"\d+ \((\d+)\)", begin) == [f"{100 * chance:.0f}" for chance in found["by_strength"][0]]
    file = tmp_path / "match.json"
    file.write_text(record_to_json(played(Trader, Trader, Trader)))
    assert main([str(file), "--ratings", "1500,1600"]) == 1
    assert capsys.readouterr().err == "analyse: 2 ratings are given for a match of 3 seats\n"
    for ratings in ("1500,nan,1500", "1500,,", "1e9,1,1"):
        with pytest.raises(SystemExit, match="2"):
            main([str(file), f"--ratings={ratings}"])


def test_printed_json_is_shown_again_unless_of_another_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = [mistaken(seat, loss) for seat, loss in ((0, 0.1), (1, 0.2), (1, 0.3), (1, 0.4), (1, 0.5))]
    found, file = as_object(played(Trader, Trader, Trader), traded(), made), tmp_path / "found.json"
    file.write_text(json.dumps(found))
    assert main([str(file), "--show"]) == 0
    assert capsys.readouterr().out == "\n".join((*lines(found), ""))
    assert main([str(file), "--show", "--seat", "1"]) == 0
    assert re.findall(r"harvest: (\d+)", capsys.readouterr().out) == ["50", "40", "30"]
    file.write_text(json.dumps({**found, "version": 0}))
    assert main([str(file), "--show"]) == 1
    assert "of version 0 of the analysis" in capsys.readouterr().err
    for other in ({"version": VERSION}, {**found, "moments": [1]}, [VERSION], {**found, "players": 3}):
        file.write_text(json.dumps(other))
        assert main([str(file), "--show"]) == 1
        assert capsys.readouterr().err == f"analyse: {file} is not output of --json\n"


def test_progress_counts_to_the_last_decision(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("beanbot.analyse.PROGRESS_S", 0)
    record, file = played(DiceBot, DiceBot, game="dice"), tmp_path / "match.json"
    file.write_text(record_to_json(record))
    assert main([str(file), "--play-outs", "10"]) == 0
    total = len(record.moves)
    assert capsys.readouterr().err.splitlines() == [f"progress: {n + 1} of {total} decisions" for n in range(total)]


def test_names_in_records_do_not_control_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record, file = played(Trader, Trader, Trader), tmp_path / "found.json"
    found = as_object(replace(record, players=("a\x1b[31m", *record.players[1:])), traded(), [])
    file.write_text(json.dumps(found))
    assert main([str(file), "--show"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_of_one_seat_the_three_largest_mistakes_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def made(_: Record, seat: int, **__: object) -> list[MistakenMove]:
        losses = (0.1, 0.3, 0.2, 0.4)
        return [MistakenMove(1, 1, seat, "harvest", "harvest", "plant", Expected(loss, 0.01)) for loss in losses]

    monkeypatch.setattr("beanbot.analyse.mistakes", made)
    monkeypatch.setattr("beanbot.analyse.course", lambda *_, **__: traded())
    file = tmp_path / "match.json"
    file.write_text(record_to_json(played(Trader, Trader, Trader)))
    assert main([str(file), "--seat", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["mistakes"]
    assert [(mistake["seat"], mistake["loss"]["mean"]) for mistake in told] == [(1, 0.4), (1, 0.3), (1, 0.2)]
    assert main([str(file), "--seat", "3"]) == 1
    assert "seat 3 does not exist: the match has seats 0 to 2" in capsys.readouterr().err


def test_the_command_says_in_a_line_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "match.json"
    file.write_text("{}")
    for name in (str(file), str(tmp_path / "none.json")):
        assert main([name]) == 1
        err = capsys.readouterr().err
        assert err.startswith("analyse: ")
        assert err.count("\n") == 1
