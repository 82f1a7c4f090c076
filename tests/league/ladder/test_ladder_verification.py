"""What is found of a ladder that somebody changed."""

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from beanleague.league.errors import RequestError
from beanleague.league.ladder.changing import enter
from beanleague.league.ladder.checkpoints import checkpoint, counted_from, parts_of
from beanleague.store import Store
from beanleague.store.tables import CHECKPOINT, EPOCH
from tests.league.helpers import bundle, keep, store_with_bots, verified
from tests.league.ladder.playing import Until, create, play

ENDED = "(SELECT position FROM ladder_checkpoint WHERE day = 1)"
SECOND = "number = (SELECT deals + 3 FROM ladder_checkpoint WHERE day = 1)"
INPUT = "(SELECT entries FROM ladder_epoch WHERE number = 4)"


def found(store: Store, *statements: str, replay: bool = False, day: int = 0) -> list[str]:
    """Return in which columns something is found after these statements. `replay`: with all matches played again."""
    if statements:
        with store.database.write() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)
    reports = [*verified(store, "spring", workers=0, replay=replay, day=day)]
    assert reports[-1].done
    return sorted({finding.column for report in reports for finding in report.findings})


@pytest.mark.parametrize("day", [0, pytest.param(1, marks=pytest.mark.slow), 2])
def test_nothing_is_found_of_one_that_was_played(store: Store, day: int) -> None:
    assert found(store, day=day) == []


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ("UPDATE deal SET entrants = '[3, 2, 1, 0]' WHERE number = 9", "deal.entrants"),
        (f"UPDATE ladder_epoch SET entries = {INPUT} WHERE number = 9", "ladder_epoch.entries"),
        ("UPDATE ladder_day SET secret = zeroblob(32) WHERE number = 1", "ladder_day.secret"),
        (
            "UPDATE league_change SET happened = happened + 1000 WHERE kind = 'joined' AND entrant = 6",
            "league_change.happened",
        ),
        ("UPDATE deal SET dropped = 1 WHERE number = 3", "deal.dropped"),
        ("UPDATE deal SET dropped = dropped - 1 WHERE voids = 1", "deal.dropped"),
        ("UPDATE league_change SET entrant = (entrant + 1) % 7 WHERE kind = 'dropped'", "deal.dropped"),
        ("UPDATE league_change SET scheduled = 0 WHERE kind = 'dropped'", "deal.dropped"),
        ("DELETE FROM league_change WHERE kind = 'left'", "league_change.number"),
        ("UPDATE league_change SET kind = 'rated' WHERE kind = 'joined' AND entrant = 3", "league_change.entrant"),
        ("UPDATE ladder_epoch SET tables = 1 WHERE number = 3", "deal.entrants"),
        ("UPDATE ladder_epoch SET day = 1", "deal.dropped"),
        ("UPDATE match_seat SET place = 5 - place WHERE deal = 5", "deal.results"),
        ("UPDATE ladder_epoch SET tables = 2147483647, background = 2147483647", "deal.entrants"),
        ("UPDATE match_seat SET entrant = 2147483647 WHERE deal = 5", "league_change"),
        ("DELETE FROM ladder_checkpoint WHERE day = 1", "ladder_checkpoint"),
        pytest.param(
            "UPDATE ladder_checkpoint SET data = zeroblob(9) WHERE day = 1",
            "ladder_checkpoint.digest",
            marks=pytest.mark.slow,
        ),
        ("UPDATE ladder_checkpoint SET deals = deals + 1 WHERE day = 2", "ladder_checkpoint.deals"),
        ("UPDATE rating SET rating = rating + 1 WHERE entrant = 3", "rating.rating"),
        pytest.param(
            f"DELETE FROM rating_snapshot WHERE deals = {ENDED}", "rating_snapshot.deals", marks=pytest.mark.slow
        ),
    ],
)
def test_a_change_is_found(store: Store, change: str, column: str) -> None:
    assert column in found(store, change)


def test_a_seed_that_was_changed_is_found(store: Store) -> None:
    assert "deal.seed" in found(store, "UPDATE deal SET seed = zeroblob(32) WHERE number = 5", replay=True)


class TestOfOneDay:
    @pytest.mark.parametrize(
        ("change", "column"),
        [
            ("UPDATE ladder_checkpoint SET data = zeroblob(9) WHERE day = 1", "ladder_checkpoint.digest"),
            pytest.param(
                "UPDATE ladder_checkpoint SET position = position - 1 WHERE day = 2",
                "ladder_checkpoint.digest",
                marks=pytest.mark.slow,
            ),
            pytest.param(
                "UPDATE ladder_checkpoint SET digest = zeroblob(32) WHERE day = 1",
                "ladder_checkpoint.digest",
                marks=pytest.mark.slow,
            ),
            (f"UPDATE ladder_epoch SET entries = {INPUT} WHERE day = 2", "ladder_epoch.entries"),
            (f"UPDATE deal SET entrants = '[3, 2, 1, 0]' WHERE {SECOND}", "deal.entrants"),
            pytest.param(f"UPDATE deal SET dropped = 1 WHERE {SECOND}", "deal.dropped", marks=pytest.mark.slow),
            ("UPDATE ladder_day SET secret = zeroblob(32) WHERE number = 2", "ladder_day.secret"),
            (f"UPDATE match_seat SET place = 5 - place WHERE deal{SECOND[6:]}", "ladder_checkpoint.data"),
            pytest.param("DELETE FROM rating_snapshot", "rating_snapshot.deals", marks=pytest.mark.slow),
            ("UPDATE rating SET rating = rating + 1 WHERE entrant = 3", "rating.rating"),
        ],
    )
    def test_finds_a_change(self, store: Store, change: str, column: str) -> None:
        assert column in found(store, change, day=2)

    @pytest.mark.parametrize(
        ("change", "column"),
        [
            (f"UPDATE deal SET seed = zeroblob(32) WHERE {SECOND}", "deal.seed"),
            (f"UPDATE deal SET seed_digest = zeroblob(32) WHERE {SECOND}", "deal.seed_digest"),
        ],
    )
    def test_finds_a_seed_that_was_changed(self, store: Store, change: str, column: str) -> None:
        assert column in found(store, change, replay=True, day=2)

    def test_reads_the_matches_of_that_day_alone(self, store: Store) -> None:
        before, _, after = store.ladders.checkpoints(1)[0], *store.ladders.checkpoints(1)
        reports = [*verified(store, "spring", workers=0, day=2)]
        assert reports[-1].matches_done == reports[-1].matches_total == 4 * (after.position - before.position)
        broken = "UPDATE match_seat SET place = 5 - place WHERE deal < 9"
        assert "ladder_checkpoint.data" not in found(store, broken, day=2)

    @pytest.mark.parametrize("part", ["sat", "chance", "stint_end", "places", "deals_of"])
    def test_finds_a_checkpoint_of_other_counts_though_its_digest_is_right(self, store: Store, part: str) -> None:
        league = store.leagues.get("spring")
        days, made = store.ladders.days(1), store.ladders.checkpoints(1)
        parts = parts_of(store.ladders.checkpoint_data(1, 2))
        counted = counted_from({**parts, part: np.append(parts[part][:1] + 1, parts[part][1:])}, league)
        forged, data = checkpoint(counted, days[1], made[1].epochs, made[0].digest)
        assert forged.digest != made[1].digest
        with store.database.write() as connection:
            row = {"digest": forged.digest, "data": data}
            connection.execute(sa.update(CHECKPOINT).where(CHECKPOINT.c.day == 2).values(**row))
        assert found(store, day=2) == found(store) == ["ladder_checkpoint.data"]

    @pytest.mark.parametrize("missing", [1, 2])
    def test_needs_the_checkpoints_before_and_after_it(self, store: Store, missing: int) -> None:
        with pytest.raises(RequestError, match=f"cannot be verified: the checkpoint of day {missing} is missing"):
            found(store, f"DELETE FROM ladder_checkpoint WHERE day = {missing}", day=2)

    def test_may_be_while_the_ladder_is_played(self, store: Store) -> None:
        store.runs.begin(1)
        assert found(store, day=2) == []
        with pytest.raises(RequestError, match=r"spring is being run; .* or a day that has ended \(--day\)"):
            found(store)

    def test_is_of_days_that_have_ended(self, store: Store) -> None:
        with pytest.raises(RequestError, match="day 3 of spring cannot be verified: days 1 to 2 have ended"):
            found(store, day=3)


def changed(store: Store, number: int, change: Callable[[list[list[int]]], object]) -> None:
    """Change what is kept of the field with an epoch: rows of number, state, rating, half-width and effective deals."""
    (epoch,) = (each for each in store.ladders.epochs(1) if each.number == number)
    mark, *columns = np.frombuffer(zlib.decompress(epoch.entries), "<i4").tolist()
    rows = np.array(columns).reshape(5, -1).T.tolist()
    change(rows)
    entries = zlib.compress(np.append([mark], np.array(rows).T).astype("<i4").tobytes())
    with store.database.write() as connection:
        connection.execute(sa.update(EPOCH).where(EPOCH.c.number == number).values(entries=entries))


class TestAnEpoch:
    @pytest.mark.parametrize(
        "change",
        [
            pytest.param(lambda rows: rows[2].__setitem__(1, 2), marks=pytest.mark.slow, id="waiting"),
            pytest.param(lambda rows: rows[2].__setitem__(1, 3), marks=pytest.mark.slow, id="away"),
            pytest.param(lambda rows: rows[2].__setitem__(2, rows[2][2] + 2), marks=pytest.mark.slow, id="rating"),
            pytest.param(lambda rows: rows[2].__setitem__(3, rows[2][3] + 2), marks=pytest.mark.slow, id="half-width"),
            pytest.param(lambda rows: rows[2].__setitem__(4, rows[2][4] + 2), id="deals"),
            pytest.param(lambda rows: rows.pop(2), marks=pytest.mark.slow, id="field"),
        ],
    )
    def test_of_another_field_is_found(self, store: Store, change: Callable[[list[list[int]]], object]) -> None:
        changed(store, 9, change)
        assert {"ladder_epoch.entries", "deal.entrants"} & {*found(store)}

    def test_whose_companions_were_not_drawn_is_found(self, store: Store) -> None:
        deal = store.deals.list(1)[8]
        other = next(entry for entry in range(6) if entry not in deal.table)
        table = [*deal.table[:3], other]
        swapped = f"UPDATE match_seat SET entrant = {other} WHERE deal = 9 AND entrant = {deal.table[3]}"
        assert "deal.entrants" in found(store, f"UPDATE deal SET entrants = '{table}' WHERE number = 9", swapped)


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with a ladder whose bots are rated and settled after few deals, of which one was replaced."""
    file = tmp_path_factory.mktemp("decided") / "a.db"
    with pytest.MonkeyPatch.context() as patch, store_with_bots(file, 6) as store:
        soon(patch)
        create(store)
        play(store, Until(50))
        keep(store, bundle("bot3", "better"))
        enter(store, "spring", "bot3@2")
        play(store, Until(40))
        assert {"rated", "settled", "replaced"} <= {change.kind for change in store.changes.list(1)}
        store.database.checkpoint()
    return file.read_bytes()


def soon(patch: pytest.MonkeyPatch) -> None:
    """Rate and settle bots after few deals."""
    patch.setattr("beanleague.league.ladder.entries.RATED_ELO", 150)
    patch.setattr("beanleague.league.ladder.entries.SETTLED_ELO", 100)


class TestADecision:
    @pytest.fixture
    def ladder(self, decided: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
        soon(monkeypatch)
        (tmp_path / "b.db").write_bytes(decided)
        with Store(f"sqlite:///{tmp_path / 'b.db'}") as store:
            yield store

    def test_that_follows_from_what_was_known_is_not_found(self, ladder: Store) -> None:
        assert found(ladder) == []

    @pytest.mark.parametrize(
        ("change", "column"),
        [
            ("UPDATE league_change SET reason = 'known to 9 Elo after 99 deals' WHERE kind = 'rated'", "reason"),
            pytest.param(
                "UPDATE league_change SET kind = 'settled' WHERE kind = 'rated'", "reason", marks=pytest.mark.slow
            ),
            pytest.param(
                "UPDATE league_change SET kind = 'paused' WHERE kind = 'replaced'", "kind", marks=pytest.mark.slow
            ),
            pytest.param(
                "UPDATE league_change SET entrant = 1 WHERE kind = 'replaced'", "reason", marks=pytest.mark.slow
            ),
            pytest.param(
                "UPDATE league_change SET kind = 'returned' WHERE kind = 'settled'", "kind", marks=pytest.mark.slow
            ),
        ],
    )
    def test_that_does_not_follow_is_found(self, ladder: Store, change: str, column: str) -> None:
        assert f"league_change.{column}" in found(ladder, change)

    @pytest.mark.parametrize(
        ("change", "column"),
        [
            pytest.param(
                "UPDATE rating SET best_rank = 0 WHERE entrant = 1", "rating.best_rank", marks=pytest.mark.slow
            ),
            pytest.param(
                "UPDATE rating SET best_rank = 3 WHERE entrant = 3", "rating.best_rank", marks=pytest.mark.slow
            ),
            ("UPDATE rating SET effective = effective + 0.1 WHERE entrant = 2", "rating.effective"),
            pytest.param(
                "UPDATE rating SET interval = interval + 0.1 WHERE entrant = 2",
                "rating.interval",
                marks=pytest.mark.slow,
            ),
        ],
    )
    def test_and_ratings_of_another_field_are_found(self, ladder: Store, change: str, column: str) -> None:
        assert column in found(ladder, change)
