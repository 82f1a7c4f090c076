"""No gRPC at all."""


def steal() -> None:
    raise SystemExit("nobody else imports this")
