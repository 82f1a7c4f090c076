"""Answers decisions that it was not asked yet."""

from attacker import play

from beanproto.v1 import referee_pb2 as pb

play(before=[pb.Move(match=1, decision=decision, error="too early") for decision in range(1, 200)])
