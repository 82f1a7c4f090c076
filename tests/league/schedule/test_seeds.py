from __future__ import annotations

import hashlib
import hmac

from beanleague.league.schedule.seeds import bot_luck, deal_seed, new_secret, seed_digest

SECRET = b"0123456789abcdef"


def test_a_seed_and_its_digest_are_what_the_documentation_says() -> None:
    """docs/fairness.md, "Checking it yourself"."""
    assert deal_seed(SECRET, 12) == hmac.new(SECRET, b"deal/12", hashlib.sha256).digest()
    assert deal_seed(SECRET, 12).hex() == "5d939bc7f4791458a7f763c5380a29863fdcf0c49bf347587a6b9aa19379650e"
    assert seed_digest(deal_seed(SECRET, 12)) == hashlib.sha256(deal_seed(SECRET, 12)).digest()


def test_luck_differs_by_deal_rotation_and_seat() -> None:
    assert bot_luck(SECRET, 12, 3, 1) == hmac.new(SECRET, b"luck/12/3/1", hashlib.sha256).digest()[:16]
    lucks = {bot_luck(SECRET, d, r, s) for d in range(12) for r in range(4) for s in range(4)}
    assert len(lucks) == 12 * 4 * 4


def test_master_secrets_are_long_and_differ() -> None:
    assert len(new_secret()) == 32
    assert new_secret() != new_secret()
