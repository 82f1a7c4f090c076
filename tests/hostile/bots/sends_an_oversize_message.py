"""Sends a message of ten megabytes."""

from attacker import send_bytes

from beanproto.v1 import referee_pb2 as pb

move = pb.Move(match=1, decision=1, error="x" * 10_000_000)
send_bytes(pb.BotMessage(moves=[move]).SerializeToString())
