"""Sends a text that is no UTF-8."""

from attacker import send_bytes

from beanproto.v1 import referee_pb2 as pb

message = pb.BotMessage(moves=[pb.Move(match=1, decision=1, error="text")]).SerializeToString()
send_bytes(message.replace(b"text", b"\xff\xfe\xc3\x28"))
