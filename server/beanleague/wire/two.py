"""Conversion of views of Bohnanza for two; the rules use the message of the card games."""

from beanleague.games.two import BohnanzaTwoView, TwoDecision
from beanleague.wire.bohnanza import FIELDS, RULES
from beanleague.wire.views import ViewCodec
from beanproto.v1 import referee_pb2 as pb

__all__ = ["RULES", "VIEW"]

VIEW = ViewCodec(BohnanzaTwoView, pb.BohnanzaTwoView, TwoDecision, fields=FIELDS)
