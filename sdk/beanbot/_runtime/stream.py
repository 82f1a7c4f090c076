"""The one stream between a bot process and its referee."""

from __future__ import annotations

import contextlib
import sys

import grpc

from beanbot._runtime.outbox import Outbox
from beanbot._runtime.program import BotProgram
from beanbot._runtime.session import Session
from beanproto.v1 import referee_pb2_grpc

_OPTIONS = (("grpc.max_receive_message_length", -1),)  # the referee may ask in many matches at once


def play_stream(program: BotProgram, target: str) -> bool:
    """Dial the gRPC `target` and play until the stream ends, whoever ends it; return False if nobody answered."""
    session = Session(program, _log)
    outbox = Outbox(session.hello())
    answered = False
    with grpc.insecure_channel(target, options=_OPTIONS) as channel:
        try:
            for message in referee_pb2_grpc.RefereeStub(channel).Play(outbox):
                answered = True
                for move in session.receive(message):
                    outbox.add(move)
                outbox.send()
        except grpc.RpcError as error:
            return answered or error.code() is not grpc.StatusCode.UNAVAILABLE
        finally:
            outbox.close()
    return True


def _log(text: str) -> None:
    """Write to the author's log; a referee that is gone reads it no more."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
