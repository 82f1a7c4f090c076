import pytest

from beanleague.league.bots.manifest import admitted_manifest, parse_manifest
from beanleague.league.errors import BundleError
from beanleague.model import Manifest
from beanleague.names import NAME_RULE

GOOD = {"name": '"ann"', "games": '["bohnanza"]', "command": '["python", "bot.py"]'}

KEYS = "name, games, command, description, author, environment, leave_out, settings"


def toml(**changes: str | None) -> bytes:
    """Return a bot.toml with these keys instead of the good ones; None leaves one out."""
    return "".join(f"{key} = {value}\n" for key, value in {**GOOD, **changes}.items() if value is not None).encode()


def problems(text: bytes, files: tuple[str, ...] = ("bot.toml", "bot.py")) -> list[str]:
    with pytest.raises(BundleError) as error:
        parse_manifest(text, files)
    return [str(problem) for problem in error.value.problems]


def test_everything_it_may_say_is_read() -> None:
    text = toml(description='"Plants\\n  beans. "', author='"Ann"', settings='{ depth = 3, kinds = ["red"] }')
    found = parse_manifest(text, ["bot.py"])
    assert found == Manifest("ann", ("bohnanza",), ("python", "bot.py"), "Plants beans.", "Ann")


def test_a_byte_order_mark_does_no_harm() -> None:
    assert parse_manifest(b"\xef\xbb\xbf" + toml(), ["bot.py"]).name == "ann"


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"name": None}, 'bot.toml: name: is missing; write for example: name = "mybot"'),
        ({"games": None}, 'bot.toml: games: is missing; write for example: games = ["bohnanza"]'),
        ({"command": None}, 'bot.toml: command: is missing; write for example: command = ["python", "bot.py"]'),
        ({"name": '"Ann"'}, f"bot.toml: name: 'Ann' is not a valid name: {NAME_RULE}"),
        ({"name": '""'}, f"bot.toml: name: '' is not a valid name: {NAME_RULE}"),
        ({"name": "7"}, f"bot.toml: name: 7 is not a valid name: {NAME_RULE}"),
        (
            {"name": f'"{33 * "a"}"'},
            f"bot.toml: name: '{33 * 'a'}' is not a valid name: {NAME_RULE}",
        ),
        ({"games": '["bonanza"]'}, "bot.toml: games: unknown ruleset 'bonanza'; did you mean 'bohnanza'?"),
        ({"games": "[]"}, "bot.toml: games: must not be empty"),
        (
            {"settings": "{ depth = { red = 1 } }"},
            "bot.toml: settings: depth must be a string, a number, true or false, or a list of these",
        ),
        (
            {"settings": "3"},
            "bot.toml: settings: must be a table of names and values, such as [settings] followed by depth = 3",
        ),
        ({"games": '"bohnanza"'}, "bot.toml: games: must be a list of strings in quotes"),
        ({"games": '["bohnanza", "bohnanza"]'}, "bot.toml: games: names a game twice"),
        ({"command": "[]"}, "bot.toml: command: must not be empty"),
        ({"command": '["python", 3]'}, "bot.toml: command: must be a list of strings in quotes"),
        (
            {"command": '["python", "bto.py"]'},
            "bot.toml: command: there is no file 'bto.py' in the bundle; did you mean 'bot.py'?",
        ),
        (
            {"command": '["python", "-u"]'},
            'bot.toml: command: does not say what python should run; write for example: command = ["python", "bot.py"]',
        ),
        (
            {"command": '["python", "-X", "dev", "bto.py"]'},
            "bot.toml: command: there is no file 'bto.py' in the bundle; did you mean 'bot.py'?",
        ),
        ({"command": '["./bot"]'}, "bot.toml: command: there is no file './bot' in the bundle"),
        ({"command": '["bot.py"]'}, "bot.toml: command: write ./bot.py for the program bot.py in the bundle"),
        (
            {"command": '["no-such-program"]'},
            "bot.toml: command: there is no program 'no-such-program' here, nor a file of that name in the bundle",
        ),
        ({"command": '["/no/such"]'}, "bot.toml: command: there is no program '/no/such' here"),
        (
            {"command": '["python", "a\\u0000b"]'},
            "bot.toml: command: must have at most 32 entries, each of at most 1000 characters and without NUL",
        ),
        ({"comand": '"x"'}, "bot.toml: comand: is not a key of bot.toml; did you mean 'command'?"),
        ({"xyz": "1"}, f"bot.toml: xyz: is not a key of bot.toml; there are: {KEYS}"),
        ({"author": "7"}, "bot.toml: author: must be a string in quotes"),
        ({"leave_out": '"test"'}, "bot.toml: leave_out: must be a list of strings in quotes"),
        ({"author": f'"{101 * "a"}"'}, "bot.toml: author: has 101 characters; 100 are allowed"),
        ({"description": '"\\u001b[2J"'}, "bot.toml: description: contains unprintable characters"),
    ],
)
def test_each_mistake_is_reported_with_its_key(changes: dict[str, str | None], problem: str) -> None:
    assert problems(toml(**changes)) == [problem]


def test_all_mistakes_are_reported_at_once() -> None:
    found = problems(b'name = "A"\ngames = ["x"]\n')
    assert [text.split(":")[1].strip() for text in found] == ["command", "name", "games"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"name = ", "bot.toml: is not valid TOML: Invalid value (at end of document)"),
        (b"name = '\xff'", "bot.toml: is not UTF-8 text (byte 8)"),
        (b"#" * 4097, "bot.toml: has 4097 bytes; 4096 are allowed"),
        (b".".join([b"a"] * 31_000) + b" = 1", "bot.toml: has 62003 bytes; 4096 are allowed"),
        (b"name = " + b"1" * 5000, "bot.toml: has 5007 bytes; 4096 are allowed"),
        (b"a = " + b"[" * 4000, "bot.toml: is not valid TOML: nested too deep"),
    ],
)
def test_a_file_that_cannot_be_read_is_reported(text: bytes, problem: str) -> None:
    assert problems(text) == [problem]


@pytest.mark.parametrize(
    "name",
    ["name = 0x" + "f" * 3900, "name" + ".a" * 1900 + " = 1"],
    ids=["4700 digits", "deep key"],
)
def test_a_value_that_python_cannot_print_is_a_plain_problem(name: str) -> None:
    found = problems(b'games = ["bohnanza"]\ncommand = ["python", "bot.py"]\n' + name.encode())
    assert len(found) == 1
    assert found[0].startswith("bot.toml: name: ")
    assert found[0].endswith(f" is not a valid name: {NAME_RULE}")
    assert len(found[0]) < 400


@pytest.mark.parametrize(
    "command",
    ['["python", "-u", "bot.py"]', '["python", "./lib/x.py"]', '["python", "-m", "bot"]', '["./run"]', '["/bin/sh"]'],
)
def test_commands_that_can_be_started_are_taken(command: str) -> None:
    parse_manifest(toml(command=command), ["bot.py", "lib/x.py", "run"])


def test_one_of_a_bot_of_before_the_limit_was_lowered_is_still_read() -> None:
    comment = b"#" * (65_536 - len(toml()))
    assert admitted_manifest(toml() + comment) == parse_manifest(toml(), ["bot.py"])
    with pytest.raises(BundleError, match="has 65537 bytes; 65536 are allowed"):
        admitted_manifest(toml() + comment + b"#")
