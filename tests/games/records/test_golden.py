"""Records of one match of each ruleset, kept in `golden/`: equal moves must give equal bytes, now and later.

After a change of the rules or of the format on purpose: `python -m tests.games.records.test_golden` writes them anew.
"""

from hashlib import blake2b
from pathlib import Path

import pytest

from beanleague import games
from beanleague.games.records.faults import league_places

GOLDEN = Path(__file__).parent / "golden"
NAMES = [rules.id for rules in games.rulesets()]
FAULT_INTERVAL = 40  # decisions


def choose(view: games.View, luck: str) -> games.Action:
    """A legal action, decided by a digest of `luck`."""
    legal = view.legal()
    return legal[int.from_bytes(blake2b(luck.encode(), digest_size=8).digest(), "big") % len(legal)]


def play(name: str) -> games.Record:
    """A match with interludes where there are any, short trading, and a fault now and then; one seat forfeits."""
    rules = games.ruleset(name)
    seats = min(rules.most_seats, 4)
    options: dict[str, games.Option] = {}
    if "max_rounds" in rules.options:
        options["max_rounds"] = 2
    if rules.interludes:
        options["interludes"] = (0,)
    game = games.new_game(name, seats=seats, seed=f"golden {name}".encode(), options=options)
    moves: list[games.PlayedMove] = []
    moments: list[int] = []
    faults: list[games.Fault] = []
    forfeited = False
    while not game.over:
        for seat in game.to_act():
            asked = len(moves)
            gone = forfeited and seat == seats - 1
            fails = asked % FAULT_INTERVAL == FAULT_INTERVAL - 1 and not gone
            if fails:
                forfeits = not forfeited and seat == seats - 1 and asked > 2 * FAULT_INTERVAL
                faults.append(games.Fault(seat, asked, "timeout", "no answer in 1.000 s", forfeits))
                forfeited |= forfeits
            by_default = fails or gone
            action = game.default(seat) if by_default else choose(game.view(seat), f"{name}/{asked}")
            moments.append(game.moment)
            game.apply(seat, action)
            moves.append(games.PlayedMove(seat, action, by_default))
    assert game.outcome
    return games.Record(
        ruleset=name,
        seats=seats,
        seed=game.seed,
        options=game.options,
        players=tuple(f"bot-{seat}@1" for seat in range(seats)),
        moves=tuple(moves),
        events=tuple(game.events),
        scores=game.outcome.scores,
        places=league_places(game.outcome.places, moments, faults),
        faults=tuple(faults),
        luck=tuple(bytes([seat]) * 16 for seat in range(seats)),
        ms=tuple(move % 7 for move in range(len(moves))),
        node="golden",
    )


@pytest.mark.parametrize("name", NAMES)
def test_equal_moves_give_the_record_that_is_kept(name: str) -> None:
    assert games.record_to_json(play(name)) == (GOLDEN / f"{name}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_the_record_that_is_kept_is_read_verified_and_written_alike(name: str) -> None:
    text = (GOLDEN / f"{name}.json").read_text(encoding="utf-8")
    record = games.record_from_json(text)
    assert games.verify(record).reproduced
    assert games.record_to_json(record) == text


def test_a_record_is_kept_of_each_ruleset_and_of_no_other() -> None:
    assert {path.stem for path in GOLDEN.glob("*.json")} == set(NAMES)


if __name__ == "__main__":
    for each in NAMES:
        (GOLDEN / f"{each}.json").write_text(games.record_to_json(play(each)), encoding="utf-8")
