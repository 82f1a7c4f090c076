from rawbot import play

from beanproto.v1 import referee_pb2 as pb

play(lambda request, start: [pb.Move(match=request.match, decision=request.decision, error="ValueError: lost")])
