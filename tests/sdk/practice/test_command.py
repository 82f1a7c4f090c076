"""The command that practises: what it prints, and how it ends."""

import json
from pathlib import Path
from textwrap import dedent

import pytest

from beanbot import LoadError, load_bot
from beanbot.practice import play
from beanbot.practice.__main__ import main
from beanproto.v1.league_pb2 import Standing
from tests.sdk.helpers import Dull

RANDOM = str(Path(__file__).parents[3] / "bots" / "random")


@pytest.fixture
def bot_file(tmp_path: Path) -> Path:
    file = tmp_path / "mybot.py"
    file.write_text(
        dedent("""
        from beanbot import run
        from beanbot.bohnanza import BohnanzaBot

        class MyBot(BohnanzaBot):
            pass

        run(MyBot)
        """)
    )
    return file


def test_the_command_prints_a_table(bot_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(bot_file), RANDOM, "--deals", "2", "--seats", "3", "--seed", "4"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert not err
    assert lines[0] == "bohnanza, 3 seats, 2 deals, 6 matches"
    headings = "bot mean $ wins mean place faults forfeits mean ms 99 % ms"
    assert lines[2].split() == headings.split()
    assert {line.split()[0] for line in lines[3:5]} == {"mybot", "random"}
    assert "is placed before" in lines[6]


def test_the_command_shows_the_first_errors_with_their_traceback(
    bot_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bot_file.write_text(bot_file.read_text().replace("pass", "def trade(self, view): return 1 / 0"))
    assert main([str(bot_file), "--deals", "1", "--lenient"]) == 0
    out, err = capsys.readouterr()
    assert err.count("return 1 / 0") == 3
    assert "further problems are counted but not shown" in err
    assert int(out.splitlines()[3].split()[-4]) > 12


def test_a_bot_that_would_forfeit_in_a_league_does_and_that_is_said_last_with_the_first_traceback(
    bot_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    failing = bot_file.read_text().replace("pass", "def trade(self, view): print('now'); return 1 / 0")
    bot_file.write_text(failing)
    assert main([str(bot_file), RANDOM, "--deals", "2", "--seats", "3"]) == 1
    out, err = capsys.readouterr()
    assert "now\n" not in out  # what bots print is in their log, as in a league
    assert "now\n" in err
    table, _, last = out.partition("mybot had ")
    row = next(line.split() for line in table.splitlines() if line.startswith("mybot"))
    faults, forfeits = int(row[-4]), int(row[-3])
    assert 0 < 4 * forfeits <= faults
    assert last.startswith(f"{faults} faults and forfeited {forfeits} of ")
    assert "as it would in a league. The first:\n1.0, move" in last
    assert last.rstrip().endswith("ZeroDivisionError: division by zero")


def test_the_results_are_json_with_the_keys_of_leagues(bot_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(bot_file), RANDOM, "--deals", "2", "--seats", "3", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["deals_done"], result["matches_done"]) == (2, 6)
    assert {standing["bot"] for standing in result["standings"]} == {"mybot", "random"}
    assert sum(standing["wins"] for standing in result["standings"]) == pytest.approx(6)
    assert {"matches", "mean_score", "faults", "forfeits"} <= set(result["standings"][0]) & set(
        Standing.DESCRIPTOR.fields_by_name
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["gone.py"], "practice: gone.py: no such file"),
        (["farmr"], "practice: farmr: no such file, nor a house bot; did you mean 'farmer'?"),
        ([RANDOM, "--seats", "9"], "practice: bohnanza is for 3 to 5 seats, not 9"),
        ([RANDOM, "--game", "chess"], "practice: unknown ruleset 'chess'; there are: "),
    ],
)
def test_the_command_says_in_a_line_what_it_cannot_do(
    arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert not out
    assert err.startswith(problem)
    assert err.count("\n") == 1


def test_a_program_that_fails_is_shown_with_its_traceback(bot_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot_file.write_text("import nothing_of_that_name\n")
    assert main([str(bot_file)]) == 1
    err = capsys.readouterr().err
    assert "line 1, in <module>" in err
    assert err.splitlines()[-1].startswith(f"practice: {bot_file}: ModuleNotFoundError")


def test_house_bots_are_taken_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_bot("random").name == "random"
    (tmp_path / "random").mkdir()
    with pytest.raises(LoadError, match=r"bot\.toml: no such file"):
        load_bot("random")  # what lies here comes first


def test_bots_run_in_their_own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = """
        from pathlib import Path
        from beanbot import run
        from beanbot.bohnanza import BohnanzaBot
        Path("here").read_text()

        class Reader(BohnanzaBot):
            def match_started(self):
                assert Path("here").read_text() == NAME

            def decide(self, view):
                assert Path("here").read_text() == NAME
                return super().decide(view)

            def match_over(self, scores, places):
                assert Path("here").read_text() == NAME

        run(Reader)
    """
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "here").write_text(name)
        (tmp_path / name / f"{name}.py").write_text(dedent(code).replace("NAME", repr(name)))
    monkeypatch.chdir(tmp_path)
    problems: list[str] = []
    result = play(
        [load_bot("one/one.py"), load_bot("two/two.py"), Dull],
        deals=1,
        report=lambda _, problem: problems.append(problem),
    )
    assert not problems
    assert result.matches == 3
    assert Path.cwd() == tmp_path


@pytest.mark.parametrize("arguments", [[], ["x.py", "--deals", "0"], ["x.py", "--seats", "few"]])
def test_wrong_usage_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage:" in capsys.readouterr().err


def test_an_interrupted_practice_shows_what_was_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = """
        from beanbot import run
        from beanbot.bohnanza import BohnanzaBot

        class Interrupted(BohnanzaBot):
            left = LEFT

            def match_started(self):
                Interrupted.left -= 1
                if not Interrupted.left:
                    raise KeyboardInterrupt

        run(Interrupted)
    """
    early, late = tmp_path / "early.py", tmp_path / "late.py"
    early.write_text(dedent(code).replace("LEFT", "8"))  # in the third match of the first deal
    late.write_text(dedent(code).replace("LEFT", "22"))  # in the second match of the third deal
    assert main([str(early), "--deals", "10", "--seats", "3"]) == 1
    assert main([str(late), "--deals", "10", "--seats", "3"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "bohnanza, 3 seats, 2 deals, 6 matches"
