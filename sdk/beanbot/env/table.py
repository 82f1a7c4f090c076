"""A game as a PettingZoo environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cache
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from beanbot.env.coding import Coding
from beanleague.games import Action, Game, Option, View, new_game, ruleset
from beanleague.games.families import family_of_ruleset, text_of

Observation = dict[str, NDArray[Any]]


def wrapped(game: str, seats: int | None, options: Mapping[str, Option], render_mode: str | None) -> AECEnv:
    """Return the environment inside PettingZoo's wrappers, which check its use."""
    env = wrappers.TerminateIllegalWrapper(TableEnv(game, seats, options, render_mode), illegal_reward=-1)
    return CopiedWhole(wrappers.AssertOutOfBoundsWrapper(env))


class CopiedWhole(wrappers.OrderEnforcingWrapper):  # type: ignore[misc]  # PettingZoo has no types
    """PettingZoo's wrapper that checks the order of calls, with a deep `copy.copy` that includes the game."""

    def __str__(self) -> str:
        """Return the name of the game, as the base class does."""
        return str(self.env)

    def __copy__(self) -> CopiedWhole:
        """Return a deep copy; a shallow one would share the game."""
        return deepcopy(self)


class TableEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """A table whose seats act one after another.

    If several seats decide at once, the first acts first, and the others see its action only after all have acted. A
    copy, by `copy`, `deepcopy` or `pickle`, continues from the same position with the same luck. Copies by `copy` and
    `deepcopy` share the observation spaces, which change only when sampled or seeded.
    """

    coding: Coding
    """Coding of observations and actions."""
    game: Game
    """Game being played."""

    def __init__(self, game: str, seats: int | None, options: Mapping[str, Option], render_mode: str | None) -> None:
        super().__init__()
        self._ruleset = game
        self._seats = ruleset(game).least_seats if seats is None else seats
        self._options = options
        self.render_mode = render_mode
        self.metadata = {
            "render_modes": ["human", "ansi"],
            "name": f"{game.replace('-', '_')}_v0",
            "is_parallelizable": False,
        }
        self._deal(bytes(32))
        self.coding = self._coding()
        self.possible_agents = [f"seat_{seat}" for seat in range(self._seats)]
        length, actions = len(self.coding.names), len(self.coding.moves)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, np.inf, (length,), np.float32),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self._random, _ = seeding.np_random()

    def __copy__(self) -> TableEnv:
        """Return a deep copy; a shallow one would share the game."""
        return deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> TableEnv:
        """Copy the game with the engine's fast copy, and share the constant parts."""
        shared = {"coding": self.coding, "observation_spaces": self.observation_spaces}
        copied = type(self).__new__(type(self))
        memo[id(self)] = copied
        state = {name: value for name, value in self.__getstate__().items() if name not in {"game", *shared}}
        copied.__dict__.update(deepcopy(state, memo), game=self.game.copy(), **shared)
        return copied

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the parts derived from the game, whose functions cannot be pickled."""
        return {**self.__dict__, "coding": None, "_views": {}, "_legal": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.coding = self._coding()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the observation space; the same for all agents."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the action space; the same for all agents."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game. `seed` determines this game and the following ones, until the next seed."""
        del options
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        self._deal(self._random.bytes(32))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, int]] = {agent: {} for agent in self.agents}
        self._next()

    def observe(self, agent: str) -> Observation:
        """Return the observation of `agent`; the mask is empty unless the agent is to act."""
        seat = self.possible_agents.index(agent)
        mask = np.zeros(len(self.coding.moves), np.int8)
        if agent == self.agent_selection and not self.game.over:
            mask[list(self._actions())] = 1
        return {"observation": np.array(self.coding.observed(self._view(seat)), np.float32), "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play a legal action; `action` must be None after the end of the game."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} must act: the game is not over, so an action is needed")
        chosen = self._actions()[int(action)]
        self._cumulative_rewards[agent] = 0
        self.game.apply(self.possible_agents.index(agent), chosen)
        self._forget()
        self._clear_rewards()
        if self.game.over:
            self._end()
        else:
            self._next()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return or print the view of the acting seat, depending on the mode."""
        text = text_of(self._view(self.possible_agents.index(self.agent_selection)))
        if self.render_mode == "human":
            print(text)  # noqa: T201  # printing is the purpose of this mode
            return None
        return text

    def close(self) -> None:
        """Do nothing: there are no resources to free."""

    def _coding(self) -> Coding:
        family = family_of_ruleset(self._ruleset)
        assert family is not None, "there are rules for it"
        coding: Coding = family.module("beanbot.env").coding(self._view(0).rules)
        return coding

    def _deal(self, seed: bytes) -> None:
        self.game = new_game(self._ruleset, seats=self._seats, seed=seed, options=self._options)
        self._forget()

    def _forget(self) -> None:
        self._views: dict[int, View] = {}
        self._legal: dict[int, Action] | None = None

    def _view(self, seat: int) -> View:
        if seat not in self._views:
            self._views[seat] = self.game.view(seat, news=False)
        return self._views[seat]

    def _actions(self) -> dict[int, Action]:
        """Return the legal actions of the acting seat, by number."""
        if self._legal is None:
            self._legal = self.coding.actions(self._view(self.possible_agents.index(self.agent_selection)))
        return self._legal

    def _next(self) -> None:
        """Select the acting seat, the first if several are to act."""
        self.agent_selection = self.possible_agents[self.game.to_act()[0]]

    def _end(self) -> None:
        outcome = self.game.outcome
        assert outcome is not None
        for seat, agent in enumerate(self.agents):
            self.rewards[agent] = _reward(outcome.places, seat)
            self.terminations[agent] = True
            self.infos[agent] = {"score": outcome.scores[seat], "place": outcome.places[seat]}


@cache
def _reward(places: Sequence[int], seat: int) -> float:
    """Return the mean over the other seats of 1 if behind and -1 if ahead; in a solo game 1 or -1."""
    if len(places) == 1:
        return 1.0 if places[0] == 1 else -1.0
    own = places[seat]
    return sum((own < place) - (own > place) for place in places) / (len(places) - 1)
