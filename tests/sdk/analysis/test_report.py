"""Reports of a bot: what many matches say of it."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from beanbot.analyse import main
from beanbot.analysis.course import Expected
from beanbot.analysis.harvests import EarlyHarvest
from beanbot.analysis.mistakes import mistakes
from beanbot.analysis.report import EarlyHarvests, HarvestExample, MatchesReport, Seated, report, seated
from beanbot.analysis.telling import Advice, AdviceExample, advice, markdown, report_object
from beanbot.analysis.yardstick import otherwise
from beanbot.bohnanza import Ahead, BohnanzaView, Choice, Decline, Harvest, Pass
from beanbot.bot import Bot
from beanbot.policies.trader import Trader
from beanbot.policies.worth import Cards
from beanbot.practice import deals
from beanleague.games import Record, record_to_json
from beanleague.games.records.record import record_to_object


@pytest.fixture(autouse=True)
def few_games(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try choices in few games: what a report makes of losses is looked at here, not how sure these are."""
    monkeypatch.setattr("beanbot.analysis.mistakes.TO_END", 12)
    monkeypatch.setattr("beanbot.analysis.report.mistakes", partial(mistakes, first=3, more=12))
    monkeypatch.setattr("beanbot.analysis.report.otherwise", partial(otherwise, games=6))


class Hasty(Trader):
    """Harvests whatever it may, in each fourth turn."""

    def plant_first(self, view: BohnanzaView) -> Choice:
        return Harvest(view.harvestable[0]) if view.harvestable and view.turn % 4 == 0 else super().plant_first(view)


class Silent(Trader):
    def answer(self, view: BohnanzaView) -> Choice:
        return Decline() if self.random.random() < 0.5 else super().answer(view)


@cache
def played(*bots: type[Bot[Any]]) -> list[tuple[str, Record]]:
    """Play one deal in all rotations."""
    kept: list[Record] = []
    next(deals(bots, keep=kept.append))
    return [(f"1.{rotation}", record) for rotation, record in enumerate(kept)]


@cache
def hasty() -> MatchesReport:
    return report("Hasty", seated(played(Hasty, Trader, Trader), "Hasty"), Trader)


def test_a_bot_is_told_first_in_what_it_loses_against_the_yardstick() -> None:
    found = hasty()
    assert found.worse[0].kind == "harvests"
    assert found.matches == 3
    for example in found.worse[0].examples:
        record = dict(played(Hasty, Trader, Trader))[example.match]
        made = record.moves[example.decision.move]
        assert record.players[made.seat] == "Hasty"
        assert isinstance(made.action, Harvest)
        assert not example.decision.better.startswith("harvest")


def test_examples_are_of_different_matches() -> None:
    for loss in hasty().worse:
        assert len({example.match for example in loss.examples}) == min(loss.matches, 3)


class Idle(Trader):
    """Plants no second card."""

    def plant_or_pass(self, view: BohnanzaView, ahead: Ahead, hand: Cards) -> None:
        ahead.actions.append(Pass())


def test_a_bot_that_planted_no_second_card_is_told_that_it_plants_no_more() -> None:
    [(_, record)] = played(Idle, Trader, Trader)[:1]
    found = otherwise(record, 0, Trader, games=2)
    assert {each.kind for each in found if each.played == "plant no more"} == {"plants no more"}


def test_an_answer_that_was_not_given_is_found_where_nobody_had_the_cards() -> None:
    looked: list[str] = []
    matches = seated(played(Silent, Trader, Trader)[:1], "Silent")
    found = report("Silent", matches, Trader, progress=lambda: looked.append("a match"))
    assert {loss.kind for loss in found.otherwise} == {"declines an offer"}
    assert looked == ["a match"]


def test_figures_stand_beside_those_of_others() -> None:
    figures = {figure.name: figure for figure in hasty().figures}
    matches = played(Hasty, Trader, Trader)
    scores = [score for _, record in matches for score in record.scores]
    own = [record.scores[record.players.index("Hasty")] for _, record in matches]
    assert figures["dollars"].own.mean == pytest.approx(sum(own) / 3)
    assert figures["dollars"].others.mean == pytest.approx((sum(scores) - sum(own)) / 6)
    assert figures["dollars a harvest"].own.mean < figures["dollars a harvest"].others.mean
    [(name, ahead)] = hasty().opponents
    assert name == "Trader"
    assert ahead.mean == pytest.approx(figures["dollars"].own.mean - figures["dollars"].others.mean)


def test_an_early_harvest_is_a_thing_to_do() -> None:
    """Where waiting gained more than twice its error."""
    example = HarvestExample("1.0", EarlyHarvest("black_eyed", 3, 1, move=90, turn=5, came=2, gained=1.0))
    early = EarlyHarvests("black_eyed", 3, 1, 4, 3, 2.0, Expected(0.4, 0.1), (example,))
    doubtful = replace(early, cards=5, a_match=Expected(0.4, 0.3))
    found = replace(hasty(), early=(doubtful, early))
    assert found.too_early == [early]
    *_, last = advice(found)
    text = "In 3 of 3 matches black-eyed was harvested at 3, 1 short of more; waiting gained 0.4 ± 0.1 dollars a match."
    assert last == Advice(text, (AdviceExample("1.0", 90, "turn 5: 2 more came, worth $1.0"),))
    lines = list(markdown(found))
    assert lines[-2:] == [f"{len(found.worse) + 1}. {text} Look at:", "   - 1.0:90, turn 5: 2 more came, worth $1.0"]
    assert next(line for line in lines if "black-eyed at 5" in line).endswith("+0.4 ± 0.3 |")
    assert report_object(found)["to_do"][-1]["text"] == text


def test_another_bot_stands_beside_with_matches_of_its_own() -> None:
    (first, second) = played(Silent, Trader, Trader)[:2]
    beside = [Seated(*first, seat=first[1].players.index("Trader"))]
    found = report("Silent", seated([second], "Silent"), Trader, against="Trader@2", beside=beside)
    figure = next(figure for figure in found.figures if figure.name == "dollars")
    assert figure.against == Expected(beside[0].record.scores[beside[0].seat], 0.0)
    text = "\n".join(markdown(found))
    assert "The figures of Trader@2 are of 1 match of its own." in text
    assert "The bot that was asked for each decision is trader, not Trader@2." in text
    assert "The bot that was asked" not in "\n".join(markdown(replace(found, against="trader@1")))


def test_the_worst_deals_are_those_of_which_others_made_most_more() -> None:
    lost = [deal.others - deal.dollars for deal in hasty().worst]
    assert lost == sorted(lost, reverse=True)
    matches = dict(played(Hasty, Trader, Trader))
    for deal in hasty().worst:
        others = [record.scores[deal.seat] for name, record in matches.items() if name != deal.match]
        assert deal.others == pytest.approx(sum(others) / 2)


def test_figures_of_earlier_versions_are_in_a_column_of_their_own() -> None:
    found = hasty()
    text = "\n".join(markdown(found, found))
    assert "# Hasty: 3 matches, and 3 before" in text
    figure = next(line for line in text.splitlines() if line.startswith("| dollars "))
    assert figure.split("|")[2].strip() == figure.split("|")[3].strip()
    assert text.index("## What to do") > text.index("## Worst deals")
    assert "1. Unlike trader there, it harvests in" in text


def test_only_a_bot_that_decides_as_the_yardstick_has_nothing_to_do() -> None:
    [(name, record)] = played(Trader, Trader, Trader)[:1]
    text = "\n".join(markdown(report("Trader", [Seated(name, record, 0)], Trader)))
    assert "It decides all as trader does" in text
    assert "Nothing that it decides otherwise than trader loses more than the error." in text


def test_the_command_reads_folders_and_lines_and_knows_versions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    matches = played(Silent, Trader, Trader)[:2]  # of two versions, in the lines
    lines = tmp_path / "matches.jsonl"
    with lines.open("w") as file:
        for number, (name, record) in enumerate(matches, 1):
            (tmp_path / f"{name}.json").write_text(record_to_json(record))
            fields = {**record_to_object(record), "players": [f"{player}@{number}" for player in record.players]}
            file.write(f"{json.dumps({'match': f'spring/{name}', **fields})}\n")
    (tmp_path / "1.1.json").unlink()
    assert main(["--report", "Silent", str(tmp_path)]) == 0
    assert "# Silent: 1 match\n" in capsys.readouterr().out
    assert main(["--report", "Silent", "--since", "2", "--json", str(lines)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["matches"], found["before"]["matches"]) == (1, 1)
    assert found["otherwise"][0]["examples"][0]["match"] == "spring/1.1"
    assert main(["--report", "nobody", str(lines)]) == 1
    assert capsys.readouterr().err == "analyse: nobody did not play in any of these matches\n"
