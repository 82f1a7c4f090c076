"""Plays each family by its defaults and one good rule: `gardening.py`, `giving.py` and `waiting.py`."""

from gardening import Gardening
from giving import Giving
from waiting import Waiting

from beanbot import run

run(Gardening, Giving, Waiting)
