"""Sends the first half of a message."""

from attacker import send_bytes

from beanproto.v1 import referee_pb2 as pb

message = pb.BotMessage(moves=[pb.Move(match=1, decision=1, error="half")]).SerializeToString()
send_bytes(message[: len(message) // 2])
