"""The private parts of Dask that our listeners and links build on are as they were when these were written."""

import inspect
from operator import attrgetter

import pytest

tcp = pytest.importorskip("distributed.comm.tcp", reason="needs the packages of the extra cluster")

ADVICE = "look at {user}, which builds on it; until it agrees, give distributed an upper bound in pyproject.toml"
DOORS, MESSENGER = "cluster/doors.py", "cluster/messenger.py"


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("BaseTCPListener.start", ["self"]),
        ("BaseTCPListener.get_host_port", ["self"]),
        ("BaseTCPListener._handle_stream", ["self", "stream", "address"]),
        ("BaseTCPListener.on_connection", ["self", "comm", "handshake_overrides"]),
        ("TCPListener._prepare_stream", ["self", "stream", "address"]),
        ("TLSListener._prepare_stream", ["self", "stream", "address"]),
    ],
)
def test_a_method_that_doors_override_or_call_has_the_same_parameters(name: str, parameters: list[str]) -> None:
    try:
        method = attrgetter(name)(tcp)
    except AttributeError:
        pytest.fail(f"distributed has no {name} any more: " + ADVICE.format(user=DOORS))
    now = list(inspect.signature(method).parameters)
    assert now == parameters, f"distributed's {name} takes {now} now: " + ADVICE.format(user=DOORS)


@pytest.mark.parametrize("name", ["ip", "port", "server_args", "tcp_server"])
def test_a_listener_has_the_attributes_that_doors_read_and_set(name: str) -> None:
    listener = tcp.TCPListener("tcp://127.0.0.1:0", lambda _: None)
    assert hasattr(listener, name), f"listeners of distributed have no {name} now: " + ADVICE.format(user=DOORS)


@pytest.mark.parametrize(("backend", "listener"), [("TCPBackend", "TCPListener"), ("TLSBackend", "TLSListener")])
def test_a_backend_names_the_class_of_its_listeners(backend: str, listener: str) -> None:
    named = getattr(getattr(tcp, backend, None), "_listener_class", None)
    words = f"{backend}._listener_class of distributed is {named} now: "
    assert named is getattr(tcp, listener), words + ADVICE.format(user=DOORS)


def test_refusals_of_strangers_are_logged_in_the_words_that_doors_look_for() -> None:
    """And by this logger: else nobody would learn which host has no certificate."""
    source = inspect.getsource(tcp.TLSListener._prepare_stream)
    words = "distributed says otherwise now that a TLS handshake failed: "
    assert "handshake failed with remote %r: %s" in source, words + ADVICE.format(user=DOORS)
    assert tcp.logger.name == "distributed.comm.tcp", "its logger has another name: " + ADVICE.format(user=DOORS)
