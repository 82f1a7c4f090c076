"""What is found of a ladder whose run took others for its field than the changes of entries give."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest

from beanleague import model
from beanleague.league.ladder.changing import enter, leave
from beanleague.league.ladder.inputs import Known, estimates
from beanleague.league.ratings.weighted import Weighted
from beanleague.league.run.committing import LadderRatings
from beanleague.league.schedule.owners import groups_of
from beanleague.model import Entrant, members
from beanleague.store import Store
from tests.league.helpers import repeatable_secrets, store_with_bots, verified
from tests.league.ladder.playing import DAY_S, Clock, Until, create, play

Field = Callable[[Iterable[Entrant]], list[int]]


def without_bot3(entrants: Iterable[Entrant]) -> list[int]:
    return [number for number in members(entrants) if number != 3]


def everybody(entrants: Iterable[Entrant]) -> list[int]:
    return [entrant.number for entrant in entrants]


FIELDS = [
    (without_bot3, "bot3@1 is missing from the field: its last change before is 'joined'"),
    pytest.param(everybody, "bot5@1 is wrongly in the field: its last change before is 'left'", marks=pytest.mark.slow),
]


def weights(field: Field, ratings: LadderRatings, entrants: Sequence[Entrant]) -> Weighted:
    """Return the deals that a run has counted, with their weights in another field."""
    deals = ratings._found.deals
    deals.grow(len(entrants))
    return deals.weighted(field(entrants), groups_of([entrant.owner for entrant in entrants]))


def forge_epochs(patch: pytest.MonkeyPatch, field: Field) -> None:
    """Have runs plan for another field, with the values and tables that it gives."""

    def estimates_there(ratings: LadderRatings, entrants: Sequence[Entrant]) -> tuple[list[Known], list[int]]:
        found = estimates(weights(field, ratings, entrants), ratings._league.anchor)
        return found, ratings._found.deals.played.tolist()

    patch.setattr(model, "members", field)
    patch.setattr(LadderRatings, "known", estimates_there)


def forge_ratings(patch: pytest.MonkeyPatch, field: Field) -> None:
    """Have runs keep the ratings that another field gives."""
    patch.setattr(
        LadderRatings, "_counts", lambda own: weights(field, own, own._store.leagues.entrants(own._league.id))
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with the ladder "spring" of six bots at four seats, which one left after some deals."""
    with repeatable_secrets("another field"), store_with_bots(tmp_path / "a.db", 6) as store:
        create(store)
        play(store, Until(16))
        leave(store, "spring", "bot5")
        yield store


def play_forged(store: Store, forge: Callable[[pytest.MonkeyPatch], None]) -> None:
    """Play to the end of the first day with forged runs."""
    clock = Clock()
    with pytest.MonkeyPatch.context() as patch:
        forge(patch)
        play(store, Until(16), clock)
        clock.now += DAY_S
        play(store, Until(4), clock)
    assert store.ladders.days(1)[0].ended


def found(store: Store, day: int) -> set[tuple[str, str, str]]:
    """Return place, column and problem of all findings."""
    reports = [*verified(store, "spring", workers=0, replay=False, day=day)]
    assert reports[-1].done
    return {(each.where, each.column, each.problem) for report in reports for each in report.findings}


@pytest.mark.parametrize(("field", "problem"), FIELDS)
def test_epochs_of_another_field_are_found_though_all_follows_from_it(store: Store, field: Field, problem: str) -> None:
    left = store.leagues.entrants(1)[5].last
    play_forged(store, partial(forge_epochs, field=field))
    later = [each for each in store.ladders.epochs(1) if each.first > left.scheduled + 1]
    assert {each.day for each in later} == {1, 2}
    for day, wrong in ((0, later), (1, [each for each in later if each.day == 1])):
        findings = found(store, day)
        assert {where for where, *_ in findings} >= {f"epoch {each.number} of spring" for each in wrong}
        assert {finding[1:] for finding in findings} == {("ladder_epoch.entries", problem)}


@pytest.mark.parametrize(("field", "problem"), FIELDS)
def test_ratings_of_another_field_are_found_though_they_follow_from_it(
    store: Store, field: Field, problem: str
) -> None:
    play_forged(store, partial(forge_ratings, field=field))
    assert found(store, 1) == {("ratings of spring at the end of day 1", "rating.best_rank", problem)}
    (end, *_) = store.ladders.checkpoints(1)
    where = f"ratings of spring after deal {end.position} of its order"
    assert (where, "rating.best_rank", problem) in found(store, 0)


def test_nothing_is_found_of_entries_that_leave_and_return_between_two_looks_of_the_run(store: Store) -> None:
    enter(store, "spring", "bot5")
    acts: dict[int, Callable[[], object]] = {}
    for match in range(3, 80, 14):
        acts |= {match: partial(leave, store, "spring", "bot5"), match + 6: partial(enter, store, "spring", "bot5")}
    clock = Clock()
    play(store, Until(24, acts), clock)
    clock.now += DAY_S
    play(store, Until(4), clock)
    assert not acts
    assert found(store, 0) == found(store, 1) == set()
