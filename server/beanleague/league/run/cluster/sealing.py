"""Orders to nodes as messages.

Nodes read them as protobuf, which executes nothing. Around an order, Dask pickles only the name of a function, texts
and bytes.
"""

from typing import Any

from google.protobuf.message import DecodeError

from beanleague.league.run.cluster.orders import Join, Leave, Order, Play, RunBot
from beanleague.referee.messages import DealTask, Limits, Load, MatchTask, PoolSettings
from beanleague.wire import WireError, options_from_pb, options_to_pb
from beanleague.wire.codec import Codec
from beanproto.v1 import node_pb2 as pb


def _write_settings(join: Join, message: pb.NodeOrder.Join) -> None:
    given = join.settings
    settings = pb.NodeOrder.PoolSettings(
        workers=given["workers"],
        in_flight=given["in_flight"],
        load=_LOAD.encode(given["load"]) if "load" in given else None,
        fresh=given.get("fresh", False),
        isolate=given.get("isolate", False),
    )
    message.settings.CopyFrom(settings)


def _read_settings(message: pb.NodeOrder.Join) -> PoolSettings:
    given = message.settings
    settings: PoolSettings = {
        "workers": given.workers,
        "in_flight": given.in_flight if given.HasField("in_flight") else None,
        "fresh": given.fresh,
        "isolate": given.isolate,
    }
    if given.HasField("load"):
        settings["load"] = _LOAD.decode(given.load)
    return settings


_LOAD = Codec(Load, pb.NodeOrder.Load)
_MATCH = Codec(
    MatchTask,
    pb.NodeOrder.MatchTask,
    parts={
        "options": (
            lambda task, message: options_to_pb(task.options, message.options),
            lambda message: options_from_pb(message.options),
        ),
        "unforgiven": (
            lambda task, message: message.unforgiven.extend(sorted(task.unforgiven)),
            lambda message: frozenset(message.unforgiven),
        ),
    },
)
_CODECS: dict[str, Codec[Any, Any]] = {
    "join": Codec(
        Join,
        pb.NodeOrder.Join,
        parts={
            "bots": Codec(RunBot, pb.NodeOrder.RunBot),
            "limits": Codec(Limits, pb.NodeOrder.Limits),
            "settings": (_write_settings, _read_settings),
            "bundles": (
                lambda join, message: message.bundles.update(join.bundles),
                lambda message: dict(message.bundles),
            ),
        },
    ),
    "play": Codec(
        Play, pb.NodeOrder.Play, parts={"tasks": Codec(DealTask, pb.NodeOrder.DealTask, parts={"matches": _MATCH})}
    ),
    "leave": Codec(Leave, pb.NodeOrder.Leave),
}
_NAMES = {Join: "join", Play: "play", Leave: "leave"}


def order_to_bytes(order: Order) -> bytes:
    """Serialise an order. Settings of a pool that clusters do not support are left out."""
    name = _NAMES[type(order)]
    return pb.NodeOrder(**{name: _CODECS[name].encode(order)}).SerializeToString()


def order_from_bytes(data: bytes) -> Order:
    """Parse an order.

    Raises:
        WireError: if it is malformed.
    """
    try:
        message = pb.NodeOrder.FromString(data)
    except DecodeError as error:
        raise WireError(str(error)) from None
    name = message.WhichOneof("order")
    if name is None:
        raise WireError("it is not an order that this program knows")
    order: Order = _CODECS[name].decode(getattr(message, name))
    return order
