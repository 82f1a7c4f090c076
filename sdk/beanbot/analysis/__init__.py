"""What happened in a match, and what it was worth: pure functions of its record.

- `market`: a quick player of the trading games, by whom play-outs are played
- `course`: the chances of each seat in the course of a match, and what luck and play did to them
- `mistakes`: decisions that lost, from what the seat knew

>>> from beanbot.analysis.course import course
"""
