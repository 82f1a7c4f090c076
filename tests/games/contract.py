"""The contract that every ruleset keeps, for the referee, bots, records and the wire.

`check` checks one ruleset at one table; `CLAIMS` are its parts, each a function that fails for one reason. What a claim
needs to know of a family is in `tests.games.families`.
"""

from collections.abc import Callable, Mapping
from dataclasses import FrozenInstanceError, fields, replace
from typing import Any

import pytest

from beanleague import games, wire
from beanleague.games.core import Pass
from beanleague.games.families import ACTIONS, EVENTS
from beanproto.v1 import referee_pb2 as pb
from tests.games import hidden
from tests.games.families import checked, decision, family_of
from tests.games.helpers import chooser, dull, plain, play, recorded, state
from tests.games.list_claims import a_list_goes_on_only_while_nothing_hidden_shows
from tests.games.played import LOOKS, Table, forfeited, sent
from tests.games.wrong_actions import CORE, accepted, candidates, malformed, refusal


def the_interface_is_whole(table: Table) -> None:
    """Game, views, actions, events and the outcome are what `beanleague.games` says they are."""
    start = table.new()
    assert isinstance(start, games.Game)
    assert (start.ruleset, start.seats, start.seed) == (table.ruleset, table.seats, b"contract %d" % table.luck)
    assert start.options.items() >= table.options.items()
    so_far: list[games.Event] = []
    moments: dict[int, tuple[int, ...]] = {}
    for game, move in table.replayed():
        asked = game.to_act()
        assert not game.over
        assert game.outcome is None
        assert asked
        assert asked == tuple(sorted(set(asked)))
        assert set(asked) <= set(range(table.seats))
        assert type(move.action) in ACTIONS
        assert game.moment >= max(moments, default=0), "later questions have later moments"
        assert set(asked) <= set(moments.setdefault(game.moment, asked)), (
            "who is asked later is asked at a later moment"
        )
        assert list(game.events[: len(so_far)]) == so_far, "events are only added"
        so_far = list(game.events)
    assert all(type(event) in EVENTS for event in table.over.events)
    views = [table.over.view(seat) for seat in range(table.seats)]
    assert [view.seat for view in views] == list(range(table.seats))
    assert all(isinstance(view, games.View) for view in views)


def the_end_is_the_end(table: Table) -> None:
    """Then nobody is asked, nothing is legal, and there is an outcome with a score and a place for each seat."""
    game = table.over
    assert game.over
    assert game.to_act() == ()
    assert game.outcome is not None
    assert len(game.outcome.scores) == len(game.outcome.places) == table.seats
    before = state(game)
    for seat in range(table.seats):
        assert decision(game.view(seat)) == "WAIT"
        assert game.legal(seat) == ()
        for move in (table.moves[0], table.moves[-1]):
            assert "to decide: nobody, the game is over" in refusal(game, seat, move.action)
    assert state(game) == before


def places_follow_scores(table: Table) -> None:
    """A better score has a better place; each place is one more than the number of better ones; ties may be broken."""
    outcome = table.over.outcome
    assert outcome is not None
    scores, places = outcome.scores, outcome.places
    if table.seats == 1:
        assert places in {(1,), (2,)}, "against somebody who has no seat"
        return
    for own, place in zip(scores, places, strict=True):
        assert place == 1 + sum(other < place for other in places)
        assert all(other > place for score, other in zip(scores, places, strict=True) if score < own)


def only_seats_that_are_asked_may_act(table: Table) -> None:
    """Nor may seats that do not exist; a view says that nothing is asked, and the refusal says who is."""
    for game, move in table.looked_at():
        asked, before = game.to_act(), state(game)
        for seat in set(range(-1, table.seats + 1)) - set(asked):
            actions = {move.action, game.default(move.seat), *game.legal(move.seat)[:20]}
            assert {refusal(game, seat, action) for action in actions} == {
                f"seat {seat} has no decision to make now; to decide: {asked}"
            }
            if 0 <= seat < table.seats:
                assert game.legal(seat) == ()
                assert decision(game.view(seat)) == "WAIT"
        assert state(game) == before
        assert all(decision(game.view(seat)) == game.decision.name != "WAIT" for seat in asked)


def the_default_is_legal(table: Table) -> None:
    """At every decision, whoever is asked."""
    for game, _ in table.replayed():
        for seat in game.to_act():
            view = game.view(seat)
            assert view.default() in view.legal()


def legal_and_default_follow_from_the_view(table: Table) -> None:
    """Those of the game are those of the view, also of one that went over the wire."""
    for game, move in table.looked_at(2 * LOOKS):
        for seat in game.to_act():
            view = game.view(seat)
            arrived = sent(view, table)
            assert game.legal(seat) == view.legal() == arrived.legal()
            assert game.default(seat) == view.default() == arrived.default()
        assert game.view(move.seat) == game.view(move.seat), "to look changes nothing"


def legal_is_all_that_is_accepted(table: Table) -> None:
    """Nothing is listed twice; what is listed is accepted, all else refused, and a refusal changes nothing.

    Of open-ended actions, such as trade offers, `legal` lists some: others are accepted, or refused without a trace.
    """
    family, entry = family_of(table.over), checked(table.over)
    pool = candidates((*CORE, *ACTIONS.of(family)))
    for game, move in table.looked_at():
        seat, before = move.seat, state(game)
        legal = game.legal(seat)
        assert legal
        assert len(set(legal)) == len(legal)
        assert entry.open_ended or set(legal) <= set(pool), "all legal actions are among the candidates"
        for action in legal:
            game.copy().apply(seat, action)
        assert state(game) == before, "a copy is no part of the game"
        others = {*pool, *(each.action for each in table.moves)} - set(legal)
        fine = accepted(game, seat, [action for action in others if isinstance(action, entry.open_ended)])
        for action in others - fine:
            refusal(game, seat, action)
        assert state(game) == before, "a refused action changes nothing"


def odd_actions_are_refused(table: Table) -> None:
    """Also of the right class, with a field of a wrong type, negative, endless, or failing when looked at."""
    family = family_of(table.over)
    pool = candidates((*CORE, *ACTIONS.of(family)))
    one_of_each = {type(action): action for action in pool}
    one_of_each |= {type(move.action): move.action for move in table.moves}
    for game, move in table.looked_at(1):
        before = state(game)
        legal = {type(action): action for action in reversed(game.legal(move.seat))}
        for action in malformed(list({**one_of_each, **legal}.values())):
            refusal(game, move.seat, action)
        assert state(game) == before


def the_events_tell_the_game(table: Table) -> None:
    """A bookkeeper that sees the events alone follows the game to its end, with no card or die lost."""
    checked(table.over).bookkeeper(table.over).follow(table.over.events)


def the_news_are_all_events_a_seat_may_see(table: Table) -> None:
    """Put together over all decisions of a seat, with nothing missing or repeated."""
    heard: list[list[games.Event]] = [[] for _ in range(table.seats)]
    for game, move in table.replayed():
        view = game.view(move.seat)
        heard[move.seat] += view.news
        assert game.view(move.seat, news=False) == replace(view, news=())  # type: ignore[call-arg]  # a dataclass
    for seat in range(table.seats):
        heard[seat] += table.over.view(seat).news
        assert heard[seat] == [event.seen_by(seat) for event in table.over.events]


def views_and_actions_are_plain_and_frozen(table: Table) -> None:
    """They are values that refer to no game, cannot be set, and stay as they are when the game goes on."""
    kept: list[tuple[games.View, str]] = []
    for game, move in table.looked_at():
        view = game.view(move.seat)
        kept.append((view, repr(view)))
        assert all(plain(getattr(view, field.name)) for field in fields(view) if field.name != "rules")
        assert all(map(plain, game.legal(move.seat)))
        for value in (view, move.action, game.events[0]):
            assert not hasattr(value, "__dict__")
            with pytest.raises((FrozenInstanceError, TypeError)):
                setattr(value, fields(value)[0].name if fields(value) else "more", 0)
    assert all(repr(view) == before for view, before in kept)


def the_seed_and_the_moves_decide_everything(table: Table) -> None:
    """The same again: the same events. Another seed: other cards and other dice."""
    again = table.new()
    for move in table.moves:
        again.apply(move.seat, move.action)
    assert list(again.events) == list(table.over.events)
    assert again.outcome == table.over.outcome
    assert state(again) == state(table.over)
    starts = [replace(table, luck=luck).new().events for luck in range(100, 104)]
    by_chance = {type(event) for event in starts[0] if any(hasattr(event, name) for name in ("card", "cards", "kinds"))}
    assert by_chance
    for cls in by_chance:
        drawn = {tuple(event for event in start if type(event) is cls) for start in starts}
        assert len(drawn) == len(starts), f"{cls.__name__} is decided by the seed"


def copies_go_on_alike_and_on_their_own(table: Table) -> None:
    """What is done to a copy does not show in the game, nor the other way round."""
    copies: list[tuple[int, games.Game]] = []
    for index, (game, _) in enumerate(table.replayed()):
        if index % (len(table.moves) // 4 + 1) == 0:
            copy, before = game.copy(), state(game)
            assert type(copy) is type(game)
            assert state(copy) == before
            play(game.copy(), dull if index else chooser(table.luck + 1))
            assert state(game) == before
            copies.append((index, copy))
    for index, copy in copies:
        for move in table.moves[index:]:
            copy.apply(move.seat, move.action)
        assert state(copy) == state(table.over)


def the_record_is_read_back_and_verified(table: Table) -> None:
    """From JSON and from the wire; what is read is written alike."""
    record = recorded(table.over, table.moves)
    text = games.record_to_json(record)
    read = games.record_from_json(text)
    assert read == record
    assert games.record_to_json(read) == text
    data = wire.record_to_pb(record).SerializeToString()
    assert wire.record_from_pb(pb.Record.FromString(data)) == record
    assert wire.record_from_bytes(data) == record
    assert games.verify(record).problem == ""


def views_actions_and_events_arrive_as_they_were(table: Table) -> None:
    """Over the wire, with the rules."""
    for index, (game, move) in enumerate(table.replayed()):
        for seat in range(table.seats) if index % 50 == 0 else (move.seat,):
            view = game.view(seat)
            assert sent(view, table) == view
            assert view == sent(view, table)
        assert sent(game.view(move.seat), table).default() == game.default(move.seat)
        message = pb.Move(match=1, decision=2)
        wire.action_to_pb(move.action, message)
        assert wire.action_from_pb(pb.Move.FromString(message.SerializeToString())) == move.action
    for event in table.over.events:
        assert wire.event_from_pb(pb.Event.FromString(wire.event_to_pb(event).SerializeToString())) == event


def any_seat_may_fail_at_any_moment(table: Table) -> None:
    """The default plays on for it, the game ends, the seat is last, and the record is verified."""
    for seat in range(table.seats):
        own = [index for index, move in enumerate(table.moves) if move.seat == seat]
        if not own:  # of dice games some end before everybody is asked
            continue
        record = forfeited(table, own[len(own) * (seat + table.luck) // (table.seats + table.luck)], {seat})
        assert record.places[seat] == max(2, table.seats)
        assert games.verify(record).problem == ""
    everybody = forfeited(table, 0, set(range(table.seats)))
    assert games.verify(everybody).problem == ""
    assert games.record_from_json(games.record_to_json(everybody)) == everybody
    assert wire.record_from_pb(pb.Record.FromString(wire.record_to_pb(everybody).SerializeToString())) == everybody
    together = [index for index, (game, _) in enumerate(table.replayed()) if len(game.to_act()) > 1]
    if together:
        asked = next(game.to_act() for index, (game, _) in enumerate(table.replayed()) if index == together[0])
        places = forfeited(table, together[0], set(asked)).places
        assert {places[seat] for seat in asked} == {table.seats - len(asked) + 1}, "who fails at once shares a place"


def bad_setups_are_refused(table: Table) -> None:
    """Impossible numbers of seats, seeds and options; the message says what is allowed."""
    rules = games.ruleset(table.ruleset)
    good: dict[str, Any] = {"seats": table.seats, "seed": b"seed", "options": table.options}
    wrong: list[tuple[dict[str, Any], str]] = [
        *(({"seats": seats}, rf"{rules.id} is for {rules.least_seats}.* seats?, not") for seats in _no_seats(rules)),
        *(({"seed": seed}, "a seed is 1 to 64 bytes") for seed in (b"", b"x" * 65, "seed", None, bytearray(b"s"))),
        ({"options": {"speed": 1}}, "unknown option 'speed'; there are: "),
    ]
    known = [*rules.options, *(["interludes"] if rules.interludes else [])]
    values: tuple[Any, ...] = (
        1.5,
        None,
        [0],
        [[]],
        (1, 0),
        (0, 0),
        (table.seats,),
        (True,),
        (0.0,),
        True,
        -1,
        10**5000,
    )
    for name in ("max_rounds", "interludes", "deck"):
        said = name if name in known else f"unknown option '{name}'"
        wrong += [({"options": {name: value}}, said) for value in values]
    for change, message in wrong:
        with pytest.raises(games.SetupError, match=message):
            games.new_game(table.ruleset, **{**good, **change})


def interludes_are_for_who_asked_for_them(table: Table) -> None:
    """And for nobody else; there one may always pass."""
    if not games.ruleset(table.ruleset).interludes or "interludes" in table.options:
        return
    for asked_for in ((), (table.seats - 1,), tuple(range(table.seats))):
        game = table.new(interludes=asked_for)
        given: list[games.View] = []
        play(game, chooser(5), lambda view, given=given: decision(view) == "INTERLUDE" and given.append(view))  # type: ignore[misc]
        assert {view.seat for view in given} == set(asked_for)
        assert all(Pass() in view.legal() and view.default() == Pass() for view in given)
        assert all(len(view.legal()) > 1 for view in given), "only seats with something to do are asked"


CLAIMS: tuple[Callable[[Table], None], ...] = (
    the_interface_is_whole,
    the_end_is_the_end,
    places_follow_scores,
    only_seats_that_are_asked_may_act,
    the_default_is_legal,
    legal_and_default_follow_from_the_view,
    legal_is_all_that_is_accepted,
    odd_actions_are_refused,
    the_events_tell_the_game,
    the_news_are_all_events_a_seat_may_see,
    hidden.no_view_tells_what_is_hidden,
    hidden.where_hand_cards_lie_shows_to_nobody_else,
    hidden.answers_are_hidden_until_all_are_in,
    a_list_goes_on_only_while_nothing_hidden_shows,
    views_and_actions_are_plain_and_frozen,
    the_seed_and_the_moves_decide_everything,
    copies_go_on_alike_and_on_their_own,
    the_record_is_read_back_and_verified,
    views_actions_and_events_arrive_as_they_were,
    any_seat_may_fail_at_any_moment,
    bad_setups_are_refused,
    interludes_are_for_who_asked_for_them,
)


def check(name: str, seats: int, options: Mapping[str, games.Option] | None = None, luck: int = 0) -> None:
    """Check everything that the ruleset `name` owes at a table of `seats`."""
    table = Table(name, seats, options or {}, luck)
    for claim in CLAIMS:
        claim(table)


def _no_seats(rules: Any) -> tuple[Any, ...]:
    return (-1, 0, rules.least_seats - 1, rules.most_seats + 1, True, float(rules.least_seats), "3", None)
