"""Analysis of matches: chances in the course of a match, luck, and mistakes; pure functions of a record.

- `market`: quick player of the trading games, used in play-outs
- `course`: each seat's chances in the course of a match, and its gains and losses by luck and by play
- `mistakes`: decisions that lost, judged by the seat's knowledge at the time

>>> from beanbot.analysis.course import course
"""
