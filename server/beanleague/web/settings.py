"""How a site is reached."""

from dataclasses import dataclass

LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""Names by which a browser on this machine reaches it."""

MAX_BUNDLE_BYTES = 5 * 2**20
"""Maximum size of a bundle that is uploaded."""


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """The settings of a site."""

    hosts: frozenset[str] = LOOPBACK_NAMES
    """Names by which browsers reach it, in lower case and without a port; requests to other names are refused."""
    tls: bool = False
    """Whether it uses TLS itself."""
    behind_proxy: bool = False
    """Whether a proxy stands before it, whose X-Forwarded-For and X-Forwarded-Proto are true."""
    prefix: str = ""
    """How all its paths begin, e.g. "/beans", where it shares its host with others; "" if it has a host of its own."""
    static: bool = False
    """Whether its pages become files: what needs a server is left out of them."""
    page: int = 100
    """Deals, matches or entries on a page."""
    public: bool = False
    """Whether anybody may look: then pages of other sites may fetch records and tables too. A site for users of this
    machine shows what they may see, and any page that they open could ask it."""
    contact: str = ""
    """How one gets a token, for people; "" if nobody says."""
