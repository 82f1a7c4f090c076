"""Names that bundles import from the bots' library. Stored bundles never change, so no name may go.

Each import is the check: at run time here, and by mypy, which refuses names that a module does not export.
"""

# ruff: noqa: F401  # imported to show that they can be

from __future__ import annotations

import importlib

import pytest

from beanbot import helpers
from beanbot._runtime import session


def test_every_program_of_a_bot_finds_what_it_needs() -> None:
    from beanbot import Action, Bot, Choice, IllegalActionError, LoadError, View, load_bot, run
    from beanbot.practice import Pairing, PracticeError, PracticeResult, PracticeRow, deals, play, summarise


def test_a_bot_for_the_trading_games_finds_its_names_in_one_module() -> None:
    from beanbot.bohnanza import (
        Accept,
        Action,
        Ahead,
        Answered,
        BohnanzaBot,
        BohnanzaView,
        BuyField,
        Call,
        CardRules,
        Choice,
        Counter,
        Dealt,
        Decision,
        Decline,
        Drew,
        Event,
        Field,
        FieldBought,
        GameEnded,
        Harvest,
        Harvested,
        IllegalActionError,
        Kind,
        KindRule,
        Offer,
        Offered,
        Pass,
        Passed,
        Pick,
        Plant,
        PlantAside,
        Planted,
        RanOut,
        Refuse,
        Refused,
        Shuffled,
        Stop,
        Traded,
        TradingEnded,
        TurnedOver,
        TurnStarted,
        least_loss,
        own_kind_first,
    )


def test_a_bot_for_bohnanza_for_two_finds_its_names_in_one_module() -> None:
    from beanbot.two import (
        Action,
        Ahead,
        BohnanzaTwoBot,
        BohnanzaTwoView,
        BuyField,
        CardRules,
        Choice,
        Dealt,
        DiscardHand,
        DiscardOpen,
        Drew,
        Event,
        Field,
        FieldBought,
        GameEnded,
        HandDiscarded,
        Harvest,
        Harvested,
        IllegalActionError,
        Joined,
        Kind,
        KindRule,
        OpenDiscarded,
        Pass,
        Passed,
        Plant,
        Planted,
        PlantOpen,
        RanOut,
        TurnedOver,
        TurnStarted,
        TwoDecision,
        least_loss,
        own_kind_first,
    )


def test_a_bot_for_the_duel_finds_its_names_in_one_module() -> None:
    from beanbot.duel import (
        AcceptGift,
        Action,
        Ahead,
        BluffPaid,
        BohnusCard,
        BohnusDiscarded,
        BohnusDrawn,
        BohnusShuffled,
        Choice,
        Column,
        ColumnHarvested,
        Dealt,
        DeclineGift,
        DiscardBohnus,
        DiscardTurned,
        Drew,
        DuelBot,
        DuelDecision,
        DuelEnded,
        DuelRules,
        DuelView,
        Event,
        FirstDollars,
        Fulfil,
        Fulfilled,
        GiftAccepted,
        GiftDeclined,
        GiftGiven,
        GiftOffered,
        Give,
        Harvest,
        IllegalActionError,
        Kind,
        KindRule,
        OfferGift,
        Pass,
        Passed,
        Plant,
        Planted,
        PlantGift,
        PlantTurned,
        RanOut,
        TurnedDiscarded,
        TurnedOver,
        TurnStarted,
        best_place,
        least_loss,
    )


def test_a_bot_for_the_dice_games_finds_its_names_in_one_module() -> None:
    from beanbot.dice import (
        Action,
        CardDrawn,
        CardHarvested,
        Choice,
        DeckRenewed,
        DiceBot,
        DiceDecision,
        DiceRules,
        DiceView,
        DollarsDrawn,
        Event,
        GameEnded,
        HarvestCard,
        HarvestTop,
        IllegalActionError,
        Kind,
        Order,
        OrdersCompleted,
        Pass,
        RollAgain,
        Rolled,
        Rolls,
        Save,
        Saved,
        TurnStarted,
        code,
        counts,
        covers,
        needs,
        rolls,
        useful_dice,
    )


def test_a_bot_for_the_game_against_the_thief_finds_its_names_in_one_module() -> None:
    from beanbot.thief import (
        Action,
        CardDrawn,
        CardHarvested,
        CardStolen,
        Choice,
        DeckRenewed,
        DiceDecision,
        DiceRules,
        DiceView,
        DieStolen,
        DollarsDrawn,
        Event,
        HarvestCard,
        HarvestTop,
        IllegalActionError,
        Kind,
        LoseDie,
        Order,
        OrdersCompleted,
        Pass,
        Rolled,
        Rolls,
        Save,
        Saved,
        SoloEnded,
        SuperStealRolled,
        ThiefBot,
        ThiefRolled,
        ThiefRules,
        TurnStarted,
        code,
        counts,
        covers,
        needs,
        rolls,
        useful_dice,
    )


@pytest.mark.parametrize(
    ("former", "module"),
    [
        ("beanbot.columns", helpers),
        ("beanbot.fields", helpers),
        ("beanbot.saving", helpers),
        ("beanbot.session", session),
    ],
)
def test_a_module_that_was_moved_is_found_by_its_former_name(former: str, module: object) -> None:
    assert importlib.import_module(former) is module


def test_there_is_no_other_module() -> None:
    with pytest.raises(ModuleNotFoundError, match=r"beanbot\.nothing"):
        importlib.import_module("beanbot.nothing")
