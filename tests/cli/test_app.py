"""The outermost command: help without weight, errors in a line or two, exit codes."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import click
import pytest
from click.testing import CliRunner, Result

from beanleague import __version__
from beanleague.__main__ import main as entry
from beanleague.cli import main
from beanleague.cli.app import App
from tests.cli.conftest import Run
from tests.cli.helpers import FakeLeague
from tests.cli.samples import standings
from tests.waiting import ending

HEAVY = {"grpc", "numpy", "platformdirs", "rich", "sqlalchemy"}


def loaded(*words: str) -> set[str]:
    """The top-level modules that are loaded after `beanleague` with these words."""
    program = (
        "import sys, contextlib, io\n"
        "from beanleague.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    main({list(words)!r})\n"
        "print(*{name.partition('.')[0] for name in sys.modules})\n"
    )
    return set(
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    )


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["nonsense"]])
def test_help_loads_nothing_heavy(words: list[str]) -> None:
    assert not loaded(*words) & HEAVY


@pytest.mark.parametrize("name", ["league", "bot", "match", "standings"])
def test_help_of_a_command_loads_neither_database_nor_numbers(name: str) -> None:
    assert not loaded(name, "--help") & {"numpy", "sqlalchemy"}


@pytest.mark.parametrize(("wished", "threads"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")])
def test_equations_are_solved_in_one_thread_unless_the_environment_says_otherwise(
    wished: dict[str, str], threads: str
) -> None:
    """That is said before numpy is loaded, which looks only then."""
    program = (
        "import os, sys\n"
        "from beanleague.__main__ import main\n"
        "sys.argv = ['beanleague', '--version']\n"
        "try:\n"
        "    main()\n"
        "except SystemExit:\n"
        "    print(os.environ['OPENBLAS_NUM_THREADS'], 'numpy' in sys.modules)\n"
    )
    kept = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**kept, **wished}
    )
    assert result.stdout.splitlines()[-1] == f"{threads} False"


def test_help_lists_every_command_and_each_is_where_it_is_said_to_be(run: Run) -> None:
    shown = run("--help").output
    assert isinstance(main, App)
    context = click.Context(main)
    for name, (_, summary) in main.lazy.items():
        command = main.get_command(context, name)
        assert command is not None
        assert command.name == name
        assert command.help
        assert f"{name} " in shown
        assert summary in shown


def test_the_version_is_printed(run: Run) -> None:
    assert run("--version").output == f"beanleague {__version__}\n"


def failed(result: Result, code: int) -> list[str]:
    """The lines on stderr of a command that ended with `code` and printed nothing else."""
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr.splitlines()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("leage", "no command 'leage'; did you mean 'league'?"),
        ("league show", "Missing argument 'NAME'."),
        ("league create x", "Missing option '--game'."),
        ("league create x --game bohnanza --seats many", "Invalid value for '--seats': 'many' is not a valid integer."),
        ("league create x --game bohnanza --deals 4294967296", "Invalid value for '--deals': 4294967296 is too large."),
        ("league run x --workers 99999999999", "Invalid value for '--workers': 99999999999 is too large."),
        (
            "league create x --game bohnanza --option max_rounds",
            "Invalid value for '--option': 'max_rounds' must be NAME=VALUE, e.g. max_rounds=6",
        ),
        (
            "league create x --game bohnanza --secret abcd",
            "Invalid value for '--secret': the secret must have 32 to 128 hexadecimal digits",
        ),
        ("league create x --game bohnanza --deals 3 --repeats 3", "--deals and --repeats cannot be used together"),
        (
            "--db a.db --server localhost:1 games",
            "--db and --server cannot be used together: a server has its own database",
        ),
        ("match replay spring/1.0 --speed nan", "Invalid value for '--speed': nan is not a valid speed."),
        ("match replay spring/1.0 --speed 0", "Invalid value for '--speed': 0.0 is not in the range x>0."),
        ("bot logs trader@two", "'trader@two' is not a bot: a version number must follow the @"),
    ],
)
def test_wrong_usage_has_two_lines_and_exit_code_2(run: Run, words: str, message: str) -> None:
    error, hint = failed(run(*words.split()), 2)
    assert error.startswith(f"Error: {message}")
    assert re.fullmatch(r"Try 'beanleague( [a-z]+)* --help'\.", hint)


@pytest.mark.parametrize("name", ["bot", "league", "match"])
def test_a_group_without_a_command_shows_its_help(run: Run, name: str) -> None:
    result = run(name)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Usage: beanleague {name}")
    assert "Error" not in result.stderr


def test_a_server_that_cannot_be_reached_is_an_error_in_a_line(run: Run) -> None:
    (line,) = failed(run("--server", "127.0.0.1:1", "games"), 1)
    assert line.startswith("Error: cannot reach a server at 127.0.0.1:1; start one with 'beanleague serve'")


def test_a_refusal_of_the_server_is_an_error_in_its_words(run: Run, league: FakeLeague) -> None:
    (line,) = failed(run("--server", league.address, "standings", "spring"), 1)
    assert line == "Error: this test has no answer to Standings"


def test_global_options_may_stand_before_and_after_the_command(run: Run, league: FakeLeague) -> None:
    league.answers["Standings"] = standings()
    before = run("--server", league.address, "standings", "spring")
    after = run("standings", "spring", "--server", league.address)
    assert before.exit_code == after.exit_code == 0
    assert before.output == after.output


def test_an_option_beats_the_environment(run: Run, league: FakeLeague) -> None:
    league.answers["Standings"] = standings()
    given = run("--server", league.address, "standings", "spring", BEANLEAGUE_DB="nowhere/x.db")
    assert given.exit_code == 0
    by_environment = run("standings", "spring", BEANLEAGUE_SERVER=league.address)
    assert by_environment.exit_code == 0
    (line,) = failed(run("--db", "nowhere/x.db", "standings", "spring", BEANLEAGUE_SERVER=league.address), 1)
    assert "the folder" in line
    assert "of the database does not exist" in line


@pytest.mark.parametrize("words", [["--help"], *[["standings", "x", *more] for more in ([], ["--json"], ["--csv"])]])
def test_a_reader_that_leaves_early_ends_a_command_without_a_word(league: FakeLeague, words: list[str]) -> None:
    """It ends as if by SIGPIPE, like other programs before `head`."""
    league.answers["Standings"] = standings()
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as unread:
        line = [sys.executable, "-m", "beanleague", "--server", league.address, *words]
        result = subprocess.run(line, stdout=unread, stderr=subprocess.PIPE, text=True, check=False)
    assert (result.returncode, result.stderr) == (141, "")


@pytest.mark.parametrize("words", [["games"], ["games", "--json"], ["--help"]])
@pytest.mark.parametrize(
    ("redirect", "why"), [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")]
)
def test_an_output_that_cannot_be_written_is_reported_in_a_line(words: list[str], redirect: str, why: str) -> None:
    line = f'"$0" -m beanleague {" ".join(words)} {redirect}'
    result = subprocess.run(["sh", "-c", line, sys.executable], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (1, f"Error: cannot write to standard output: {why}\n")


def test_closed_streams_do_not_get_mixed_up_with_files(tmp_path: Path) -> None:
    line = '"$0" -m beanleague --db "$1"/a.db league list <&- 2>&-'
    result = subprocess.run(
        ["sh", "-c", line, sys.executable, tmp_path], stdout=subprocess.PIPE, text=True, check=False
    )
    assert result.returncode == 0
    assert "No leagues" in result.stdout


def test_signs_that_the_terminal_lacks_are_written_in_ascii(league: FakeLeague) -> None:
    league.answers["Standings"] = standings()
    line = [sys.executable, "-m", "beanleague", "standings", "x", "--server", league.address]
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    result = subprocess.run(line, capture_output=True, text=True, check=False, env=env)
    assert result.returncode == 0
    assert "1712 +- 23" in result.stdout


def test_ctrl_c_ends_any_command_quietly(monkeypatch: pytest.MonkeyPatch, league: FakeLeague) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("beanleague.cli.commands.standings.standings_page", interrupt)
    league.answers["Standings"] = standings()
    result = CliRunner().invoke(main, ["standings", "x", "--server", league.address])
    assert result.exit_code == 130
    assert result.stderr.strip() == "Stopped."


def test_ctrl_c_while_the_command_is_loaded_ends_it_quietly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("beanleague.cli.main", interrupt)
    with pytest.raises(SystemExit) as ended:
        entry()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "Stopped.\n"


def test_sigterm_while_the_command_is_loaded_ends_it_with_a_word(tmp_path: Path) -> None:
    """The first heavy import blocks, until the signal comes."""
    (tmp_path / "click.py").write_text("import time\nprint('loading', flush=True)\ntime.sleep(60)\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    line = [sys.executable, "-m", "beanleague", "games"]
    pipe = subprocess.PIPE
    with ending(subprocess.Popen(line, env=env, stdout=pipe, stderr=pipe, text=True)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "loading\n"
        process.terminate()
        _, errors = process.communicate()
    assert (process.returncode, errors) == (130, "Stopped.\n")


def test_the_default_database_is_in_the_users_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from beanleague.cli.connection.session import Session

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert Session().store_url() == f"sqlite:///{quote(str(tmp_path))}/beanleague/beanleague.db"
    assert (tmp_path / "beanleague").is_dir()


def test_a_database_may_be_a_file_or_a_url(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from beanleague.cli.connection.session import Session

    monkeypatch.chdir(tmp_path)
    assert Session(db="own.db").store_url() == f"sqlite:///{quote(str(tmp_path))}/own.db"
    assert Session(db="postgresql://host/name").store_url() == "postgresql://host/name"


@pytest.mark.parametrize("name", ["x%20y.db", "what?.db", "a#b@c:d&e.db", "é +.db"])
def test_a_database_is_the_file_of_exactly_that_name(run: Run, tmp_path: Path, name: str) -> None:
    typed = os.fsdecode(name.encode())  # as Python reads a command line in this locale
    listed = run("league", "list", "--db", str(tmp_path / typed))
    assert listed.exit_code == 0, listed.output
    assert [os.fsencode(file.name) for file in tmp_path.iterdir()] == [name.encode()]


@pytest.mark.parametrize(
    "words",
    [
        ["--db", "postgresql://ann:hunter2@host:port/x"],
        ["--db", "nonsense://ann:hun@ter2@host/x"],
        ["--db", "post gres://ann:hunter2@host/x"],
        ["--db", "postgresql://ann:hun@ter2@127.0.0.1:1/x"],
        ["--db", "postgresql://ann:hun@t/er2@127.0.0.1:1/x"],
        ["--db", "postgresql:/ann:hunter2@host/x"],
        ["--db", "postgresql:ann:hunter2@host/x"],
        ["--db", "sqlite://ann:hunter2@/"],
        ["--db", "sqlite://?password=hunter2"],
        ["--server", "https://ann:hunter2@host:1"],
        ["--server", "https://:hunter2@host:1"],
        ["--server", "ann:hunter2@host:1"],
    ],
)
def test_passwords_of_urls_are_never_printed(run: Run, words: list[str]) -> None:
    from beanleague.cli.connection.session import Session

    (line,) = failed(run("league", "list", *words), 1)
    option, url = words
    name = option.removeprefix("--")
    hint = Session(**{name: url}, given=frozenset({name})).command("league list")  # type: ignore[arg-type]
    for printed in (line, hint):
        assert "hunter2" not in printed
        assert "ter2" not in printed
    assert "***" in hint


def test_hints_name_the_way_to_the_program_if_the_shell_does_not_find_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from beanleague.cli.connection.session import Session

    program = tmp_path / "bin" / "beanleague"
    program.parent.mkdir()
    program.touch(0o755)
    monkeypatch.setattr(sys, "argv", [str(program)])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert Session().command("games") == f"{shlex.quote(str(program))} games"
    monkeypatch.setenv("PATH", str(program.parent))
    assert Session().command("games") == "beanleague games"


def test_hints_repeat_the_options_that_were_given() -> None:
    from beanleague.cli.connection.session import Session

    assert (
        Session(db="my file", given=frozenset({"db"})).command("league run a")
        == "beanleague league run a --db 'my file'"
    )


def test_hints_keep_old_names_and_paths_from_being_something_else_in_a_shell() -> None:
    from beanleague.cli.connection.session import Session

    session = Session(db="my file", given=frozenset({"db"}))
    assert session.command("bot submit", Path("with space")) == "beanleague bot submit 'with space' --db 'my file'"
    assert session.command("bot logs", "-2-3") == "beanleague bot logs --db 'my file' -- -2-3"
    assert session.command("bot hide", "--help", "--show") == "beanleague bot hide --show --db 'my file' -- --help"


@pytest.mark.parametrize(
    "command", ["league create {} --game bohnanza", "ladder create {} --game bohnanza", "token new {} --role viewer"]
)
@pytest.mark.parametrize("name", ["null", "007", "nan"])
def test_nothing_new_gets_a_name_that_is_something_else_elsewhere(
    run: Run, tmp_path: Path, command: str, name: str
) -> None:
    (line,) = failed(run("--db", str(tmp_path / "a.db"), *command.format(name).split()), 1)
    assert "begins with a letter" in line
