"""Values that options take: decks of games and limits of bots."""

import functools
import hashlib
import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import beanleague.service.server
from beanleague.cli import main
from beanleague.cli.params import SIZES
from beanproto.v1.league_pb2 import Limits
from tests.cli.conftest import Run
from tests.cli.helpers import WIDTH, write_bot
from tests.league.fakepool import FakePools, play
from tests.league.helpers import store_with_bots

On = Callable[..., Result]


@pytest.fixture
def on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> On:
    """Run a command on a database with two bots that play `dice` and `duel`."""
    embedded = functools.partial(
        beanleague.service.server.embedded, cache=tmp_path / "cache", start_pool=FakePools(play=play)
    )
    monkeypatch.setattr(beanleague.service.server, "embedded", embedded)

    def run(*words: str) -> Result:
        env = {**WIDTH, "NO_COLOR": "1"}
        return CliRunner(env=env).invoke(main, ["--db", str(tmp_path / "a.db"), *words], prog_name="beanleague")

    for name in ("ann", "ben"):
        folder = write_bot(tmp_path / name, name)
        toml = folder / "bot.toml"
        toml.write_text(toml.read_text().replace('["bohnanza"]', '["dice", "duel"]'))
        result = run("bot", "submit", str(folder))
        assert result.exit_code == 0, result.output
    return run


def deck(tmp_path: Path, text: str) -> str:
    file = tmp_path / "deck.toml"
    file.write_text(text, "utf-8")
    return f"deck={file}"


def create(on: On, option: str, game: str = "dice") -> Result:
    return on(*f"league create spring --game {game} --deals 1 --option".split(), option)


@pytest.mark.parametrize(("game", "data"), [("dice", "dice_2022.toml"), ("duel", "bohnus.toml")])
def test_a_league_is_played_with_the_deck_and_its_records_hold_it(on: On, tmp_path: Path, game: str, data: str) -> None:
    text = files("beanleague.games").joinpath(f"data/{data}").read_text("utf-8").replace("cents = 10", "cents = 11")
    text = text[: text.rindex("[[cards]]")]  # one card less than ours
    assert create(on, deck(tmp_path, text), game).exit_code == 0
    digest = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    assert f"deck={digest}" in on("league", "show", "spring").output.replace("\n", "")
    assert on("league", "run", "spring").exit_code == 0
    assert f"deck={digest}" in on("match", "show", "spring/1.0").output.replace("\n", "")
    record = json.loads(on("match", "export", "spring/1.0").stdout)
    assert record["options"]["deck"] == text
    assert json.loads(on("match", "show", "spring/1.0", "--json").stdout)["options"]["deck"] == digest
    assert "are reproduced" in on("match", "verify", "spring/1.0").output
    assert "Game over" in on("match", "replay", "spring/1.0", "--plain").output


def test_a_deck_may_begin_with_a_byte_order_mark(on: On, tmp_path: Path) -> None:
    text = files("beanleague.games").joinpath("data/dice_2022.toml").read_text("utf-8")
    made = create(on, deck(tmp_path, f"\ufeff{text}"))
    assert made.exit_code == 0, made.output
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert json.loads(on("league", "show", "spring", "--json").stdout)["options"] == {"deck": f"sha256:{digest}"}


def test_an_option_given_twice_is_refused(on: On, tmp_path: Path) -> None:
    option = deck(tmp_path, files("beanleague.games").joinpath("data/dice_2022.toml").read_text("utf-8"))
    result = on("league", "create", "spring", "--game", "dice", "--option", option, "--option", option)
    assert result.exit_code == 1
    assert "the option 'deck' is given twice; give it once" in result.stderr
    assert "No leagues yet" in on("league", "list").output


def test_money_of_a_duel_is_shown_in_dollars(on: On) -> None:
    assert on("league", "create", "spring", "--game", "duel", "--deals", "2").exit_code == 0
    assert on("league", "run", "spring").exit_code == 0
    matches = json.loads(on("match", "list", "spring", "--json").stdout)["matches"]
    cents = [seat["score"] for match in matches for seat in match["seats"]]
    assert max(cents) > 100
    means = [standing["mean_score"] for standing in json.loads(on("standings", "spring", "--json").stdout)["standings"]]
    assert sum(means) == pytest.approx(sum(cents) / len(cents) * 2 / 100)
    score = matches[0]["seats"][0]["score"]
    assert f"${score / 100:.2f}" in on("match", "list", "spring").output


def test_a_deck_that_cannot_be_read_is_refused_with_the_reason(on: On, tmp_path: Path) -> None:
    assert "deck: has no [[cards]]" in create(on, deck(tmp_path, "cards = 3")).stderr
    assert "cannot read the deck gone.toml: No such file" in create(on, "deck=gone.toml").stderr
    assert "cannot read the deck" in create(on, f"deck={tmp_path}").stderr
    assert "'deck=' must be NAME=VALUE" in create(on, "deck=").stderr
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xff")
    assert "is not UTF-8 text" in create(on, f"deck={tmp_path / 'bytes.toml'}").stderr
    (tmp_path / "large.toml").write_bytes(b"#" * 500_000)
    assert "is too large (maximum 400,000 bytes)" in create(on, f"deck={tmp_path / 'large.toml'}").stderr


def test_every_limit_of_a_league_can_be_set() -> None:
    options = {"move_ms", "bank_ms", "match_ms", "connect_ms", "strikes"}
    assert {*SIZES, *options} == {field.name for field in Limits.DESCRIPTOR.fields}


def test_size_limits_are_stored_with_the_league(run: Run, tmp_path: Path) -> None:
    store_with_bots(tmp_path / "a.db", 3).close()
    words = ["league", "create", "spring", "--game", "bohnanza", "--db", str(tmp_path / "a.db")]
    made = run(*words, "--process-limit", "memory_bytes=512M", "--process-limit", "processes=100", "--json")
    limits = json.loads(made.stdout)["limits"]
    assert (limits["memory_bytes"], limits["processes"], limits["scratch_bytes"]) == (2**29, 100, 2**24)
    shown = " ".join(run("league", "show", "spring", "--db", str(tmp_path / "a.db")).stdout.split())
    assert "memory_bytes 536,870,912, processes 100, scratch_bytes 16,777,216" in shown
    assert "options none" in shown


@pytest.mark.parametrize("message", ["memory_bytes", "processes=many", "processes=-1", "memory_bytes=1MG"])
def test_malformed_limits_are_refused(run: Run, message: str) -> None:
    refused = run("league", "create", "spring", "--game", "bohnanza", "--process-limit", message)
    assert refused.exit_code == 2
    assert "is not NAME=NUMBER" in refused.stderr


def test_a_misspelt_limit_is_recognised(run: Run) -> None:
    refused = run("league", "create", "spring", "--game", "bohnanza", "--process-limit", "memory_byte=1G")
    assert refused.exit_code == 2
    assert "'memory_byte' is not a limit; did you mean 'memory_bytes'?" in refused.stderr


def test_a_limit_given_twice_is_refused(run: Run) -> None:
    words = ["--process-limit", "processes=1", "--process-limit", "memory_bytes=1G", "--process-limit", "processes=2"]
    refused = run("league", "create", "spring", "--game", "bohnanza", *words)
    assert refused.exit_code == 2
    assert "processes is given twice; give it once" in refused.stderr
