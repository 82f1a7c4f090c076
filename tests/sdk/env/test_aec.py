"""The games as environments: PettingZoo's own tests, and that nothing is seen that a seat may not see."""

import pickle
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from copy import copy, deepcopy
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from beanbot.env import aec
from beanbot.practice import play
from beanbot.search import Memory, determinise
from beanleague.games import SetupError, UnknownRulesetError, rulesets
from beanleague.games.core.moves import Harvest
from beanleague.interpreter import python

pytest.importorskip("pettingzoo")
from pettingzoo.test import api_test, performance_benchmark, seed_test

from tests.variants import games

ROOT = Path(__file__).parents[3]
IDS = games(*((rules.id,) for rules in rulesets()))
TABLES = games(*((rules.id, seats) for rules in rulesets() for seats in {rules.least_seats, rules.most_seats}))


def steps(env: Any, random: Random, ends: dict[str, Any] | None = None) -> Iterator[tuple[str, dict[str, Any], int]]:
    """Play a game by chance; yield the agent, what it observes and its action before it acts. `ends`: to be filled."""
    for agent in env.agent_iter():
        observed, reward, over, _, info = env.last()
        if over:
            if ends is not None:
                ends[agent] = (reward, info)
            env.step(None)
            continue
        action = random.choice(np.flatnonzero(observed["action_mask"]).tolist())
        yield agent, observed, action
        env.step(action)


def some_steps(env: Any, number: int) -> list[tuple[str, bytes, dict[str, float]]]:
    """Play on by chance, the same every time; return all that is seen."""
    random, seen = Random(number), []
    for _ in range(number):
        observed, _, over, _, _ = env.last()
        env.step(None if over else random.choice(np.flatnonzero(observed["action_mask"]).tolist()))
        if not env.agents:
            break
        seen.append((env.agent_selection, env.last()[0]["observation"].tobytes(), env.rewards.copy()))
    return seen


def rest(env: Any) -> list[tuple[str, bytes, dict[str, float]]]:
    """Return what is seen from now on, and in the next game."""
    seen = some_steps(env, 30)
    env.reset()
    return seen + some_steps(env, 10)


COPIES = (copy, deepcopy, lambda env: pickle.loads(pickle.dumps(env)))


@pytest.mark.parametrize("copied", COPIES, ids=["copy", "deepcopy", "pickle"])
@pytest.mark.parametrize("game", IDS)
def test_a_copy_is_the_same_game_and_has_the_same_luck(game: str, copied: Callable[[Any], Any]) -> None:
    env = aec(game)
    env.reset(seed=3)
    some_steps(env, 7)
    other = copied(env)
    assert other.unwrapped is not env.unwrapped
    expected = rest(copied(env))
    before = env.last()[0]["observation"].tobytes()
    assert rest(other) == expected
    assert env.last()[0]["observation"].tobytes() == before
    assert rest(env) == expected


@pytest.mark.parametrize("copied", COPIES, ids=["copy", "deepcopy", "pickle"])
def test_a_copy_has_action_spaces_of_its_own(copied: Callable[[Any], Any]) -> None:
    env = aec("duel")
    env.action_space("seat_0").seed(1)
    other = copied(env)
    assert other.action_space("seat_0").sample() == env.action_space("seat_0").sample()
    assert other.action_space("seat_0") is other.action_space("seat_0")


def test_a_copy_of_one_that_was_never_reset_may_be_reset() -> None:
    other = deepcopy(aec("duel"))
    other.reset(seed=1)
    assert other.agent_selection == "seat_0"


@pytest.mark.parametrize("copied", COPIES, ids=["copy", "deepcopy", "pickle"])
def test_a_seed_of_a_copy_is_not_that_of_what_it_was_copied_from(copied: Callable[[Any], Any]) -> None:
    env = aec("duel")
    env.reset(seed=3)
    expected = rest(deepcopy(env))
    copied(env).reset(seed=4)
    assert rest(env) == expected


@pytest.mark.parametrize("copied", COPIES, ids=["copy", "deepcopy", "pickle"])
def test_the_game_without_its_checks_is_copied_too(copied: Callable[[Any], Any]) -> None:
    env = aec("duel").unwrapped
    env.reset(seed=3)
    other = copied(env)
    some_steps(other, 5)
    assert (other.game is env.game, env.game.over) == (False, False)
    assert some_steps(env, 7) == some_steps(copied(reset(3)), 7)


def reset(seed: int) -> Any:
    env = aec("duel").unwrapped
    env.reset(seed=seed)
    return env


IN_ANOTHER_PROCESS = """
import pickle, sys
env = pickle.load(sys.stdin.buffer)
env.step({action})
sys.stdout.buffer.write(pickle.dumps(env))
"""


def test_a_game_goes_on_in_another_process_and_comes_back() -> None:
    """Nothing of this process is needed there."""
    env = aec("duel")
    env.reset(seed=3)
    first = int(np.flatnonzero(env.last()[0]["action_mask"])[0])
    run = python("-c", IN_ANOTHER_PROCESS.format(action=first))
    done = subprocess.run(run, input=pickle.dumps(env), stdout=subprocess.PIPE, check=True)
    env.step(first)
    assert rest(pickle.loads(done.stdout)) == rest(env)


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_a_game_is_played_to_its_end_and_what_one_gains_others_lose(game: str, seats: int) -> None:
    env = aec(game, seats)
    env.reset(seed=1)
    spaces = env.observation_space("seat_0"), env.action_space("seat_0")
    played = 0
    ends: dict[str, Any] = {}
    for agent, observed, action in steps(env, Random(1), ends):
        if played % 20 == 0:
            assert spaces[0].contains(observed)
            assert spaces[1].contains(action)
            others = [other for other in env.agents if other != agent]
            assert not any(env.observe(other)["action_mask"].any() for other in others)
        played += 1
    assert played > 20
    rewards = [ends[agent][0] for agent in env.possible_agents]
    assert all(-1 <= reward <= 1 for reward in rewards)
    assert sum(rewards) == pytest.approx(0) if seats > 1 else rewards[0] in {-1, 1}
    outcome = env.unwrapped.game.outcome
    assert outcome is not None
    assert [ends[agent][1]["score"] for agent in env.possible_agents] == list(outcome.scores)


@pytest.mark.parametrize("game", IDS)
def test_a_seat_observes_nothing_but_its_view(game: str) -> None:
    """A game that only looks the same to the seat is observed alike."""
    env, random = aec(game), Random(2)
    env.reset(seed=2)
    table = env.unwrapped
    looked = 0
    for number, (agent, observed, _) in enumerate(steps(env, random)):
        if number % 10:
            continue
        seat = env.possible_agents.index(agent)
        guess = determinise(table.game.view(seat), Memory(), random).view(seat)
        assert table.coding.observed(guess) == observed["observation"].tolist()
        assert table.coding.actions(guess) == table.coding.actions(table.game.view(seat))
        looked += 1
    assert looked > 1


@pytest.mark.parametrize("game", IDS)
def test_every_number_of_an_observation_and_every_action_has_a_name_of_its_own(game: str) -> None:
    coding = aec(game).unwrapped.coding
    assert len(set(coding.names)) == len(coding.names)
    assert len(set(coding.moves)) == len(coding.moves)


def test_an_action_means_the_same_wherever_the_cards_lie() -> None:
    env = aec("bohnanza", 4)
    env.reset(seed=3)
    coding, table = env.unwrapped.coding, env.unwrapped
    for _, _, action in steps(env, Random(3)):
        view = table.game.view(table.game.to_act()[0])
        played, meant = coding.actions(view)[action], coding.moves[action]
        assert coding.move(view, played) == meant
        if meant[0] == "aside":
            assert view.own_aside[played.card] == meant[1]
        if meant[0] == "offer" and meant[1] == "hand":
            assert view.hand[played.hand[0]] == meant[2]
        if meant[0] == "harvest":
            assert played == Harvest(meant[1])


@pytest.mark.parametrize("game", IDS)
def test_the_same_seed_gives_the_same_games(game: str) -> None:
    seed_test(lambda: aec(game), num_cycles=8)


@pytest.mark.parametrize("game", IDS)
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")  # dictionaries with masks are not
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be:UserWarning")
def test_an_environment_passes_the_test_of_the_interface(game: str) -> None:
    api_test(aec(game), num_cycles=20)


@pytest.mark.slow
@pytest.mark.parametrize("game", IDS)
def test_an_environment_passes_the_benchmark(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    performance_benchmark(aec(game))
    assert "Finished performance benchmark" in capsys.readouterr().out


def test_an_illegal_action_loses_the_game() -> None:
    env = aec("duel")
    env.reset(seed=1)
    first = env.agent_selection
    observed, *_ = env.last()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env.step(int(np.flatnonzero(observed["action_mask"] == 0)[0]))
    assert all(env.terminations.values())
    assert env.unwrapped.rewards == {"seat_0": 0, "seat_1": 0} | {first: -1}


def test_an_environment_is_rendered_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    env = aec("dice", render_mode="ansi")
    env.reset(seed=1)
    assert env.render().startswith("seat ")
    aec("dice", render_mode="human").reset(seed=1)
    shown = aec("dice", render_mode="human")
    shown.reset(seed=1)
    shown.render()
    assert capsys.readouterr().out.startswith("seat ")


def test_an_impossible_environment_is_refused() -> None:
    with pytest.raises(SetupError, match="9"):
        aec("bohnanza", 9)
    with pytest.raises(UnknownRulesetError, match="bonanza"):
        aec("bonanza")


def test_without_the_extra_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "beanbot.env.table", raising=False)
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    with pytest.raises(ImportError, match=r"need pettingzoo; install it with: .+ pip install .*pettingzoo"):
        aec("duel")


def test_the_page_on_reinforcement_learning_is_true() -> None:
    text = (ROOT / "docs/rl.md").read_text("utf-8")
    first, *others = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec("\n".join([first, *others]), names)
    assert not sum(row.faults for row in play([names["Trained"]], deals=1, options={"max_rounds": 1}).rows)
    rows = re.findall(r"^\| `(\S+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", text, re.MULTILINE)
    assert len(rows) == 5
    for game, seats, numbers, actions in rows:
        tables = re.findall(r"\d+", seats)
        for shown, found in ((numbers, "names"), (actions, "moves")):
            for table, length in zip(tables, re.findall(r"\d+", shown), strict=False):
                assert len(getattr(aec(game, int(table)).unwrapped.coding, found)) == int(length), (game, table, found)
