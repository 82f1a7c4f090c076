"""Loading bots from files and bundles without playing."""

import re
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from beanbot import LoadError, load_bot
from beanbot.bohnanza import BohnanzaBot
from beanbot.practice import play
from tests.sdk.helpers import Dull

BOT = """
    from beanbot import run
    from beanbot.bohnanza import BohnanzaBot

    class MyBot(BohnanzaBot):
        pass

    run(MyBot)
"""


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(exist_ok=True)
    file.write_text(dedent(text))
    return file


def bundle(folder: Path, toml: str, **files: str) -> Path:
    """Return a bundle with `bot.toml` and `<name>.py` for each of `files`."""
    write(folder / "bot.toml", toml)
    for name, text in files.items():
        write(folder / f"{name}.py", text)
    return folder


def test_a_file_is_named_after_itself(tmp_path: Path) -> None:
    program = load_bot(write(tmp_path / "mybot.py", BOT))
    assert program.name == "mybot"
    assert [bot_class.__name__ for bot_class in program.classes] == ["MyBot"]


def test_a_bundle_is_named_by_its_toml_and_run_by_its_command(tmp_path: Path) -> None:
    toml = 'name = "ann"\ncommand = ["python", "-O", "main.py", "--deep", "2"]'
    code = BOT.replace("pass", "import sys; arguments = sys.argv[1:]")
    program = load_bot(bundle(tmp_path / "b", toml, main=code))
    assert program.name == "ann"
    assert program.classes[0].arguments == ["--deep", "2"]  # type: ignore[attr-defined]


def test_several_classes_are_kept_in_order(tmp_path: Path) -> None:
    code = BOT.replace("run(MyBot)", "class Other(MyBot):\n        pass\n\n    run(Other, MyBot)")
    program = load_bot(write(tmp_path / "two.py", code))
    assert [bot_class.__name__ for bot_class in program.classes] == ["Other", "MyBot"]


def test_a_program_that_runs_only_as_the_main_one_is_run(tmp_path: Path) -> None:
    code = BOT.replace("run(MyBot)", 'if __name__ == "__main__":\n        run(MyBot)\n        raise SystemExit(0)')
    assert load_bot(write(tmp_path / "guarded.py", code)).classes


def test_modules_of_the_same_name_are_those_of_each_bundle(tmp_path: Path) -> None:
    toml = 'name = "x"\ncommand = ["python", "bot.py"]'
    code = "from ideas import IDEA\n" + dedent(BOT).replace("pass", "idea = IDEA")
    bundles = [bundle(tmp_path / name, toml, bot=code, ideas=f"IDEA = {name!r}") for name in ("one", "two")]
    ideas = [load_bot(folder).classes[0].idea for folder in bundles]  # type: ignore[attr-defined]
    assert ideas == ["one", "two"]


def test_nothing_of_it_is_left_behind(tmp_path: Path) -> None:
    before = set(sys.modules), list(sys.path), list(sys.argv), sys.modules["__main__"]
    toml = 'name = "x"\ncommand = ["python", "bot.py", "more"]'
    load_bot(bundle(tmp_path / "b", toml, bot="import left_behind\n" + dedent(BOT), left_behind=""))
    with pytest.raises(LoadError):
        load_bot(write(tmp_path / "broken.py", "1 / 0"))
    assert (set(sys.modules), sys.path, sys.argv, sys.modules["__main__"]) == before


def test_an_error_of_the_program_has_its_traceback(tmp_path: Path) -> None:
    file = write(tmp_path / "broken.py", "def boom():\n    return 1 / 0\n\nboom()\n")
    with pytest.raises(LoadError, match=r"broken\.py: ZeroDivisionError: division by zero") as caught:
        load_bot(file)
    assert "return 1 / 0" in caught.value.details
    assert "loading.py" not in caught.value.details


@pytest.mark.parametrize(
    ("toml", "problem"),
    [
        (None, "bot.toml: no such file"),
        ("name = ", "bot.toml: "),
        ("name" + ".a" * 31_000 + " = 1", "bot.toml is too large (maximum 4,096 bytes)"),
        ("a = " + "[" * 4000, "bot.toml: nested too deeply"),
        ('name = "x"', "command must name a Python file"),
        ('command = "python bot.py"', "command must name a Python file"),
        ('command = ["./bot"]', "command must name a Python file"),
        ('command = ["python", "gone.py"]', "gone.py: no such file"),
    ],
)
def test_a_bad_bundle_is_refused_with_the_reason(tmp_path: Path, toml: str | None, problem: str) -> None:
    folder = tmp_path / "b"
    folder.mkdir()
    if toml is not None:
        bundle(folder, toml)
    with pytest.raises(LoadError, match=re.escape(problem)):
        load_bot(folder)


def test_a_file_that_is_no_bot_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(LoadError, match="no such file"):
        load_bot(tmp_path / "gone.py")
    with pytest.raises(LoadError, match=r"ends before it calls run\(\.\.\.\)"):
        load_bot(write(tmp_path / "idle.py", "x = 1"))
    with pytest.raises(LoadError, match=r"ends before it calls run\(\.\.\.\)"):
        load_bot(write(tmp_path / "leaves.py", "raise SystemExit(0)"))
    with pytest.raises(LoadError, match="SyntaxError"):
        load_bot(write(tmp_path / "typo.py", "class :"))
    with pytest.raises(LoadError, match="TypeError: run\\(\\) takes"):
        load_bot(write(tmp_path / "wrong.py", "from beanbot import run\nrun(3)"))


def test_the_class_of_a_loaded_bot_is_a_bot(tmp_path: Path) -> None:
    (bot_class,) = load_bot(write(tmp_path / "mybot.py", BOT)).classes
    assert bot_class.games == BohnanzaBot.games
    assert not issubclass(bot_class, Dull)


def test_modules_of_an_environment_in_the_folder_stay_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the rules were loaded a second time, no action of the bot would be one of theirs."""
    write(tmp_path / "own_module_of_a_bot.py", "")
    installed = tmp_path / ".venv"
    write(installed / "installed_in_its_venv.py", "")
    monkeypatch.syspath_prepend(str(installed))
    load_bot(
        write(tmp_path / "mybot.py", "import installed_in_its_venv, own_module_of_a_bot" + BOT.replace("\n    ", "\n"))
    )
    assert "installed_in_its_venv" in sys.modules
    assert "own_module_of_a_bot" not in sys.modules
    del sys.modules["installed_in_its_venv"]


SETTINGS = """
    name = "ann"
    command = ["python", "bot.py"]
    [settings]
    depth = 2
    kinds = ["red", "blue"]
"""


def test_settings_are_read_from_the_bundle_and_changed_by_the_caller(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "b", SETTINGS, bot=BOT)
    assert load_bot(folder).settings == load_bot(folder / "bot.py").settings == {"depth": 2, "kinds": ("red", "blue")}
    assert load_bot(folder, {"depth": 3}).settings == {"depth": 3, "kinds": ("red", "blue")}


@pytest.mark.parametrize(
    ("toml", "settings", "why"),
    [
        (SETTINGS, {"dept": 3}, r"bot\.toml: \[settings\] has no 'dept'; there are: depth, kinds"),
        (SETTINGS.replace("[settings]", ""), {"dept": 3}, r"\[settings\] has no 'dept'; there are: none"),
        (
            SETTINGS.replace("= 2", "= 2000-01-01"),
            {},
            "depth must be a string, a number, true or false, or a list of these",
        ),
    ],
)
def test_settings_that_a_bot_cannot_have_are_refused(
    tmp_path: Path, toml: str, settings: dict[str, object], why: str
) -> None:
    with pytest.raises(LoadError, match=why):
        load_bot(bundle(tmp_path / "b", toml, bot=BOT), settings)


LATE = """
    from beanbot import run
    from beanbot.bohnanza import BohnanzaBot

    class Late(BohnanzaBot):
        def plant_first(self, view):
            import helper
            from package import part
            helper.asked += 1
            assert (helper.OWNER, part.OWNER) == (OWNER, OWNER), (helper.OWNER, part.OWNER)
            assert helper.asked <= 1 or self.known is helper
            self.known = helper
            return super().plant_first(view)

        def match_started(self):
            import helper
            helper.asked, self.known = 0, helper

    OWNER = "{}"
    run(Late)
"""


def test_modules_that_are_imported_during_play_are_those_of_the_bots_own_folder(tmp_path: Path) -> None:
    programs = []
    for owner in ("ann", "bob"):
        home = bundle(
            tmp_path / owner, f'name = "{owner}"\ncommand = ["python", "bot.py"]', bot=LATE.replace("{}", owner)
        )
        write(home / "helper.py", f"OWNER = '{owner}'")
        write(home / "package" / "part.py", f"OWNER = '{owner}'")
        programs.append(load_bot(home))
    before = list(sys.path), Path.cwd()
    result = play(programs, deals=2)
    assert [row.faults for row in result.rows] == [0, 0]
    assert (list(sys.path), Path.cwd()) == before
    assert not {"helper", "package", "package.part"} & set(sys.modules)
