"""What differs from ruleset to ruleset and from table size to table size."""

from collections.abc import Sequence

import pytest

from beanleague.games import Event, IllegalActionError, core, new_game, ruleset
from beanleague.games.bohnanza import Call, Counter, Decision, Decline, Pick, PlantAside, Stop
from beanleague.games.bohnanza.game import Bohnanza
from beanleague.games.core.game import SetupError
from beanleague.games.core.kinds import all_kinds
from tests.games.bohnanza.bookkeeper import cards_of
from tests.games.bohnanza.helpers import SIZES, TABLES, bohnanza, scripted
from tests.games.helpers import do, of_type

at_every_table = pytest.mark.parametrize(("name", "seats"), SIZES)


class TestSetup:
    @at_every_table
    def test_the_kinds_in_play(self, name: str, seats: int) -> None:
        """All eleven but those the books remove."""
        rules, table = bohnanza(seats, ruleset=name).rules, TABLES[name, seats]
        assert {kind.name: kind.cards for kind in rules.kinds} == cards_of(table)
        assert {kind.name for kind in all_kinds()} - {kind.name for kind in rules.kinds} == table.left_out
        assert rules.cards == table.cards

    @at_every_table
    def test_the_start_hands(self, name: str, seats: int) -> None:
        """Five cards each; in the classic game 3, 4, 5, 6, 6, 6, 6 with six and seven players."""
        game, table = bohnanza(seats, ruleset=name), TABLES[name, seats]
        assert game.view(0).hand_sizes == table.dealt
        assert [event.count for event in of_type(game.events, core.Dealt)] == list(table.dealt)
        assert game.view(0).pile == table.cards - sum(table.dealt)

    @at_every_table
    def test_the_fields(self, name: str, seats: int) -> None:
        view = bohnanza(seats, ruleset=name).view(0)
        assert [len(own) for own in view.fields] == [TABLES[name, seats].fields] * seats
        assert view.rules.field_price == TABLES[name, seats].price

    @pytest.mark.parametrize(
        ("name", "least", "most"),
        [
            ("bohnanza", 3, 5),
            ("bohnanza-extended", 3, 7),
            ("bohnanza-classic", 3, 7),
            ("bohnanza-two", 2, 2),
            ("duel", 2, 2),
        ],
    )
    def test_for_how_many_each_game_is(self, name: str, least: int, most: int) -> None:
        found = ruleset(name)
        assert (found.least_seats, found.most_seats) == (least, most)
        for seats in (least - 1, most + 1):
            with pytest.raises(SetupError, match=f"{name} is for {least}.* seats, not {seats}"):
                new_game(name, seats=seats, seed=b"seed")

    @pytest.mark.parametrize(
        ("kind", "beanometer"), [("cocoa", (0, 2, 3, 4)), ("wax", (4, 7, 9, 11)), ("coffee", (4, 7, 10, 12))]
    )
    def test_the_beanometers_of_the_new_kinds(self, kind: str, beanometer: Sequence[int]) -> None:
        (rule,) = [rule for rule in all_kinds() if rule.name == kind]
        assert rule.beanometer == beanometer


def after_phase_3(name: str, seats: int, pile: str, *, run_outs: int = 0, discard: str = "") -> Bohnanza:
    """Seat 0 has turned over two red beans and planted them; `pile` is what is left then."""
    game = scripted(
        ruleset=name, seats=seats, hands=["", "blue"], pile=f"red red {pile}", run_outs=run_outs, discard=discard
    )
    return do(game, (0, Stop()), (0, PlantAside(0, 0)), (0, PlantAside(0, 0)))


def drawn(game: Bohnanza) -> list[Event]:
    return of_type(game.events, core.Drew, core.RanOut, core.Shuffled, core.GameEnded)


class TestPhase4:
    @at_every_table
    def test_each_seat_draws_its_number_of_cards(self, name: str, seats: int) -> None:
        """The active player three, or four; in the extended game everybody one, the active player first."""
        table = TABLES[name, seats]
        game = after_phase_3(name, seats, "blue " * 10)
        draws = [(event.seat, event.count) for event in of_type(game.events, core.Drew)]
        assert draws == ([(seat, 1) for seat in range(seats)] if table.all_draw else [(0, table.drawn)])

    def test_everybody_draws_clockwise_from_the_active_player(self) -> None:
        game = after_phase_3("bohnanza-extended", 3, "blue blue blue chili chili chili soy soy soy")
        do(game, (1, core.Plant(0)), (1, core.Pass()), (1, Stop()), (1, PlantAside(0, 1)), (1, PlantAside(0, 1)))
        assert [event.seat for event in of_type(game.events, core.Drew)] == [0, 1, 2, 1, 2, 0]

    def test_cards_drawn_go_behind_the_last_card_of_the_hand(self) -> None:
        game = after_phase_3("bohnanza-extended", 3, "stink soy chili green green")
        assert game.view(1).hand == ("blue", "soy")


class TestRunOuts:
    @at_every_table
    def test_the_game_ends_at_the_final_run_out_and_not_before(self, name: str, seats: int) -> None:
        """The second with three players and the new kinds, else the third."""
        last = TABLES[name, seats].last_run_out
        before = after_phase_3(name, seats, "blue", run_outs=last - 2, discard="soy " * 12)
        assert not before.over
        assert before.view(0).run_outs == last - 1
        ended = after_phase_3(name, seats, "blue", run_outs=last - 1, discard="soy " * 12)
        assert ended.over
        assert of_type(ended.events, core.Shuffled) == []

    def test_when_everybody_draws_those_after_the_final_run_out_get_nothing(self) -> None:
        game = after_phase_3("bohnanza-extended", 5, "chili green", run_outs=2, discard="soy soy soy")
        assert drawn(game)[:-1] == [core.Drew(0, 1, ("chili",)), core.Drew(1, 1, ("green",)), core.RanOut(3)]
        assert game.over

    def test_when_everybody_draws_the_pile_is_shuffled_in_between(self) -> None:
        game = after_phase_3("bohnanza-extended", 4, "chili green", discard="soy soy soy")
        names = [type(event).__name__ for event in drawn(game)]
        assert names == ["Drew", "Drew", "RanOut", "Shuffled", "Drew", "Drew"]
        assert game.view(0).hand_sizes == (1, 2, 1, 1)

    @at_every_table
    def test_the_final_run_out_in_phase_2_lets_the_turn_be_finished(self, name: str, seats: int) -> None:
        last = TABLES[name, seats].last_run_out
        game = scripted(ruleset=name, seats=seats, hands=[""], pile="red", run_outs=last - 1)
        assert of_type(game.events, core.TurnedOver, core.RanOut) == [core.TurnedOver(0, ("red",)), core.RanOut(last)]
        do(game, (0, Stop()), (0, PlantAside(0, 0)))
        assert game.over
        assert of_type(game.events, core.Drew) == []


class TestTies:
    @staticmethod
    def places(name: str, dollars: Sequence[int], hands: Sequence[int]) -> tuple[int, ...]:
        """The places of players who end with so many dollars and cards in hand; seat 0 is in its last turn."""
        seats = len(dollars)
        last = TABLES[name, seats].last_run_out
        texts = ["blue " * count for count in hands]
        game = scripted(ruleset=name, seats=seats, hands=texts, pile="", run_outs=last - 1, dollars=dollars)
        if hands[0]:  # it plants one bean that earns nothing
            do(game, (0, core.Plant(0)), *([(0, core.Pass())] if hands[0] > 1 else []))
        do(game, (0, Stop()))
        assert game.outcome
        return game.outcome.places

    @pytest.mark.parametrize(
        ("dollars", "places"),
        [((3, 3, 1), (2, 1, 3)), ((2, 2, 2, 2), (4, 3, 2, 1)), ((4, 2, 4, 2, 3), (2, 5, 1, 4, 3))],
    )
    def test_in_the_extended_game_the_one_furthest_clockwise_is_better(
        self, dollars: Sequence[int], places: Sequence[int]
    ) -> None:
        """Whatever is in hand."""
        hands = range(len(dollars), 0, -1)
        assert self.places("bohnanza-extended", dollars, hands) == tuple(places)

    @pytest.mark.parametrize(
        ("dollars", "hands", "places"),
        [
            ((3, 3, 1), (0, 2, 5), (2, 1, 3)),
            ((3, 3, 1), (4, 2, 5), (1, 2, 3)),
            ((3, 3, 1), (3, 2, 5), (1, 1, 3)),
            ((2, 2, 2, 2), (1, 3, 3, 2), (4, 1, 1, 3)),
            ((2, 2, 2, 2), (1, 0, 0, 0), (1, 1, 1, 1)),
            ((5, 2, 2, 2, 9), (1, 3, 3, 2, 1), (2, 3, 3, 5, 1)),
        ],
    )
    def test_in_the_classic_game_more_cards_in_hand_are_better_and_equals_share(
        self, dollars: Sequence[int], hands: Sequence[int], places: Sequence[int]
    ) -> None:
        """At every place; the hand counts as it is at the end, with one card less for seat 0, which planted it."""
        assert self.places("bohnanza-classic", dollars, hands) == tuple(places)


class TestThirdField:
    @staticmethod
    def rich(seats: int = 4, **state: object) -> Bohnanza:
        """Seat 0 has earned four dollars: two soy beans, a red one and, last, a chili bean."""
        chosen = {"hands": ["blue green"], "earned": ["soy soy red chili"], **state}
        return scripted(ruleset="bohnanza-classic", seats=seats, **chosen)  # type: ignore[arg-type]

    def test_a_third_field_costs_the_three_dollars_earned_last_which_are_discarded(self) -> None:
        game = do(self.rich(), (0, core.BuyField()))
        view = game.view(0)
        assert of_type(game.events, core.FieldBought) == [core.FieldBought(0, 3, ("chili", "red", "soy"))]
        assert view.dollars == (1, 0, 0, 0)
        assert [len(own) for own in view.fields] == [3, 2, 2, 2]
        assert dict(zip([kind.name for kind in view.rules.kinds], view.discard, strict=True))["chili"] == 1
        assert sum(view.discard) == 3
        assert view.decision is Decision.PLANT_FIRST

    @pytest.mark.parametrize(("seats", "left"), [(4, 1), (5, 1), (6, 2), (7, 2)])
    def test_with_six_and_seven_players_it_costs_two(self, seats: int, left: int) -> None:
        game = do(self.rich(seats), (0, core.BuyField()))
        assert game.view(0).dollars[0] == left

    def test_one_can_plant_in_it(self) -> None:
        fields = {(0, 0): "soy", (0, 1): "stink"}
        game = do(self.rich(fields=fields), (0, core.BuyField()))
        assert core.Plant(2) in game.legal(0)
        do(game, (0, core.Plant(2)))
        assert game.view(1).fields[0][2].kind == "blue"
        assert game.view(0).harvestable == (0, 1, 2)

    def test_a_third_field_can_be_bought_once(self) -> None:
        game = do(self.rich(earned=["soy soy soy soy soy soy"]), (0, core.BuyField()))
        assert not game.view(0).can_buy
        self.refused(game, "only one field can be bought")

    def test_a_third_field_cannot_be_bought_with_too_few_dollars(self) -> None:
        game = self.rich(earned=["soy soy"])
        assert not game.view(0).can_buy
        self.refused(game, "a field costs 3 dollars, and you have 2")

    @pytest.mark.parametrize(("name", "seats"), [("bohnanza", 4), ("bohnanza-extended", 4), ("bohnanza-classic", 3)])
    def test_where_there_is_none_it_cannot_be_bought(self, name: str, seats: int) -> None:
        game = scripted(ruleset=name, seats=seats, hands=["blue"], earned=["soy soy soy soy"])
        assert not game.view(0).can_buy
        self.refused(game, "no field can be bought in this game")

    def test_a_third_field_can_be_bought_before_any_decision_but_an_answer(self) -> None:
        earned = ["", "soy soy soy"]
        game = do(self.rich(hands=["", "blue"], earned=earned), (0, Call((1,))))
        assert not game.view(1).can_buy
        assert core.BuyField() not in game.legal(1)
        with pytest.raises(IllegalActionError, match="BuyField is not an answer to what is asked"):
            game.apply(1, core.BuyField())
        do(game, (1, Decline()), (0, Stop()))

    def test_the_partner_of_a_trade_buys_it_when_planting(self) -> None:
        game = self.rich(hands=["", "blue"], earned=["", "soy soy soy"])
        do(game, (0, Call((1,))), (1, Counter((), (0,))), (0, Pick(1)), (0, Stop()))
        do(game, (0, PlantAside(0, 0)), (1, core.BuyField()), (1, PlantAside(0, 2)))
        assert len(game.view(1).own_fields) == 3

    def test_a_third_field_can_be_bought_in_an_interlude(self) -> None:
        """Which is offered to who could buy, even with nothing to harvest."""
        options = {"interludes": (2,)}
        game = self.rich(hands=["", "blue"], earned=["", "", "soy soy soy"], options=options, pile="red " * 8)
        do(game, (0, Stop()), (0, PlantAside(0, 0)), (0, PlantAside(0, 0)))
        assert game.view(2).decision is Decision.INTERLUDE
        assert game.legal(2) == (core.Pass(), core.BuyField())
        do(game, (2, core.BuyField()))
        assert game.view(1).turn == 2, "nothing is left to be done"

    def test_the_cards_paid_come_back_with_the_next_shuffle(self) -> None:
        game = self.rich(hands=[""], pile="red red blue")
        do(game, (0, core.BuyField()), (0, Stop()), (0, PlantAside(0, 0)), (0, PlantAside(0, 0)))
        assert of_type(game.events, core.Shuffled) == [core.Shuffled(1, 3)]

    def test_the_dollars_of_a_harvest_are_those_paid_with(self) -> None:
        game = self.rich(fields={(0, 0): "black_eyed black_eyed black_eyed black_eyed"}, earned=["soy"])
        do(game, (0, core.Harvest(0)), (0, core.BuyField()))
        assert of_type(game.events, core.FieldBought) == [core.FieldBought(0, 3, ("black_eyed", "black_eyed", "soy"))]

    @staticmethod
    def refused(game: Bohnanza, why: str) -> None:
        with pytest.raises(IllegalActionError, match=why):
            game.apply(0, core.BuyField())
        assert core.BuyField() not in game.legal(0)
