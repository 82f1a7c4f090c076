"""Bundles as people have them: what is beside the bot, or was lost on its way; messages say what and what to do."""

import gzip
import io
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from beanleague.league.bots import bundles, entries, reading
from beanleague.league.bots.causes import missing_modules
from beanleague.league.errors import BundleError
from tests.league.helpers import TOML, zipped

FILES = {"bot.toml": TOML.format(name="ann"), "bot.py": "print('beans')\n", "lib/trade.py": "x = 1\n"}


def folder(root: Path, files: Mapping[str, str] = FILES) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


def started_by(command: str, content: bytes, mode: int = 0o755) -> bytes:
    """Return the zip file of a bot that runs `command`, with the file "run"."""
    out = io.BytesIO(zipped({"bot.toml": f'name = "ann"\ngames = ["bohnanza"]\ncommand = {command}\n'}))
    with zipfile.ZipFile(out, "a") as archive:
        info = zipfile.ZipInfo("run")
        info.create_system = 3
        info.external_attr = (stat.S_IFREG | mode) << 16
        archive.writestr(info, content)
    return out.getvalue()


def refusal(data: bytes) -> str:
    with pytest.raises(BundleError) as error:
        bundles.read_bundle(data)
    return str(error.value)


@pytest.mark.parametrize("name", ["venv", "env", "lib/.python"])
@pytest.mark.parametrize(
    ("mark", "kind"),
    [("pyvenv.cfg", "a Python virtual environment"), ("conda-meta/history", "a conda environment")],
)
def test_an_environment_of_packages_is_named_with_the_cure(tmp_path: Path, name: str, mark: str, kind: str) -> None:
    made = folder(tmp_path, {**FILES, f"{name}/{mark}": "home = /usr/bin\n"})
    (made / name / "bin").mkdir()
    (made / name / "bin" / "python").symlink_to("/usr/bin/python3")
    why = rf'{name}: is {kind}, .*leave_out = \["{name}"\]'
    with pytest.raises(BundleError, match=why):
        bundles.pack(made)
    with pytest.raises(BundleError, match=why):
        bundles.read_bundle(zipped({**FILES, f"{name}/{mark}": "home = /usr/bin\n"}))
    toml = f'{FILES["bot.toml"]}leave_out = ["{name}"]\n'
    (made / "bot.toml").write_text(toml)
    assert set(bundles.read_bundle(bundles.pack(made)).files) == set(FILES)


FINDERS = (
    *(".DS_Store", "lib/.DS_Store", "._bot.py", "__MACOSX/._bot.py", "Icon\r"),
    *("Thumbs.db", "lib/Desktop.ini", "~$plan.docx", "bot.py:Zone.Identifier", ".Trash-1000/files/x", ".nfs0001"),
)
EDITORS = ("bot.py~", ".bot.py.swp", ".idea/workspace.xml", ".vscode/settings.json", "#bot.py#", ".#bot.py")
TOOLS = (".git/config", "__pycache__/bot.cpython-312.pyc", ".tox/py312/pyvenv.cfg", ".hypothesis/x")


def test_by_products_of_file_managers_and_editors_change_no_digest() -> None:
    left = dict.fromkeys((*FINDERS, *EDITORS, *TOOLS), "x")
    assert bundles.read_bundle(zipped({**FILES, **left})).digest == bundles.read_bundle(zipped(FILES)).digest


def test_of_a_zip_that_is_too_large_the_largest_folder_is_told(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bot.zip", "w") as archive:
        archive.writestr("bot.toml", "")
        archive.writestr("env/lib/big", bytes(reading.MAX_PACKED_BYTES))
    with pytest.raises(BundleError, match=r"and 'env' takes 5\.0 MiB in all: pack the bot without"):
        bundles.pack(tmp_path / "bot.zip")


@pytest.mark.parametrize(
    ("content", "mode", "why"),
    [
        (b"#!/bin/sh\n", 0o644, "is not executable, so it cannot be started; run: chmod +x run"),
        (b"#!/bin/sh\r\necho\r\n", 0o755, r"(CR LF), so Linux cannot run it; convert it with: sed -i 's/\r$//' run"),
        (b"\xef\xbb\xbf#!/bin/sh\n", 0o755, "begins with a byte order mark, before #!"),
        (b"MZ\x90", 0o755, "is a program for another system; bots run on Linux"),
        (b"exec python3 bot.py\n", 0o755, 'add the first line #!/usr/bin/env sh, or write command = ["sh", "run"]'),
        (b"", 0o755, "is empty, so it cannot be started"),
        (b"#!/opt/none/python3\n", 0o755, "names /opt/none/python3 in its first line"),
        (b"#!/usr/bin/env -S python2.1 -u\n", 0o755, "names python2.1 in its first line"),
    ],
)
def test_a_program_that_cannot_be_started_is_refused_with_the_cause(content: bytes, mode: int, why: str) -> None:
    assert refusal(started_by('["./run"]', content, mode)).startswith("run: ")
    assert why in refusal(started_by('["./run"]', content, mode))


@pytest.mark.parametrize("command", ['["sh", "run"]', '["/bin/sh", "-e", "./run"]'])
def test_a_script_with_lines_of_windows_is_refused_for_its_shell(command: str) -> None:
    assert "(CR LF)" in refusal(started_by(command, b"#!/bin/sh\r\nexec python3 bot.py\r\n"))


@pytest.mark.parametrize(
    ("command", "content"),
    [
        ('["./run"]', b"#!/usr/bin/env -S python3 -u\nprint()\n"),
        ('["./run"]', b"#!/usr/bin/env LANG=C sh\n"),
        ('["./run"]', b"\x7fELF\2\1\1"),
        ('["python", "run"]', b"print()\r\n"),
        ('["sh", "run"]', b"cat <<END\nGET /\r\n\r\nEND\n"),
    ],
)
def test_a_program_of_which_no_fault_is_known_is_left_to_its_trials(command: str, content: bytes) -> None:
    assert "run" in bundles.read_bundle(started_by(command, content)).files


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("bot.toml.txt", "there is bot.toml.txt: rename it to bot.toml"),
        ("Bot.TOML", "there is Bot.TOML: rename it to bot.toml"),
        ("ann/bot.toml", "it is in 'ann': submit that folder, or pack its contents"),
        ("ann.zip", "if ann.zip is the bot, submit that"),
    ],
)
def test_where_the_manifest_may_be_is_told(tmp_path: Path, name: str, hint: str) -> None:
    """Before anything else: what is beside it is for `leave_out`, which the manifest has."""
    files = {name: FILES["bot.toml"], "venv/pyvenv.cfg": ""}
    assert hint in refusal(zipped(files))
    with pytest.raises(BundleError, match=r"bot.toml: is missing") as error:
        bundles.pack(folder(tmp_path, files))
    assert hint in str(error.value)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", "the file is empty"),
        (gzip.compress(b"x", mtime=0), "a gzip file, such as a .tar.gz"),
        (b"\0" * 257 + b"ustar\0" + b"\0" * 250, "a tar archive"),
        (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
        (b"Rar!\x1a\x07", "a RAR archive"),
        (b"BZh91AY", "a bzip2 file"),
        (FILES["bot.py"].encode(), "but text; submit the folder"),
    ],
)
def test_a_file_that_is_no_zip_file_is_named_by_its_kind(data: bytes, kind: str) -> None:
    assert kind in refusal(data)


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ('leave_out = ["a"]\nleave_out = ["venv"]', "bot.toml: is not valid TOML: a key or table is written twice"),
        ('leave_out = "venv"', "bot.toml: leave_out: must be a list of strings in quotes"),
        ('[settings]\nleave_out = ["venv"]', "bot.toml: leave_out: is below [settings]"),
    ],
)
def test_a_mistake_about_what_is_left_out_is_told_before_what_is_in_the_way(
    tmp_path: Path, lines: str, problem: str
) -> None:
    files = {**FILES, "bot.toml": f"{FILES['bot.toml']}{lines}\n", "venv/pyvenv.cfg": ""}
    assert refusal(zipped(files)).startswith(problem)
    with pytest.raises(BundleError) as error:
        bundles.pack(folder(tmp_path, files))
    assert str(error.value).startswith(problem)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_manifest_in_utf_16_is_told_with_the_cure(encoding: str) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("bot.toml", FILES["bot.toml"].encode(encoding))
    assert refusal(out.getvalue()) == "bot.toml: is UTF-16 text; save it as UTF-8"


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (r'["python", "lib\\trade.py"]', 'write lib/trade.py: use "/" between the parts of a path'),
        (r'["lib\\trade.py"]', 'write lib/trade.py: use "/" between the parts of a path'),
        ('["python", "Bot.py"]', "there is no file 'Bot.py' in the bundle; did you mean 'bot.py'?"),
    ],
)
def test_a_file_of_the_command_that_is_written_differently_is_named(command: str, why: str) -> None:
    toml = f'name = "ann"\ngames = ["bohnanza"]\ncommand = {command}\n'
    assert refusal(zipped({**FILES, "bot.toml": toml})) == f"bot.toml: command: {why}"


def test_the_folder_that_takes_most_is_named_where_a_bundle_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "MAX_UNPACKED_BYTES", 2**20)
    modules = {f"node_modules/{number}.js": "" for number in range(300)}
    assert "; node_modules takes the most so far, 1.0 MiB: list in leave_out" in refusal(zipped({**FILES, **modules}))


class TestMissingModule:
    SAID = "ModuleNotFoundError: No module named 'torch.nn' (bot.py, line 1, in <module>)"

    def test_an_environment_with_it_is_named(self) -> None:
        (problem,) = missing_modules(self.SAID * 2, {"other": ["scipy"], "learning": ["numpy", "torch"]})
        assert str(problem).startswith(
            'module torch: is in the environment learning: write environment = "learning" into bot.toml; '
        )

    @pytest.mark.parametrize(
        ("environments", "there"),
        [({}, "no other environment"), ({"a": ["scipy"], "b": ["jax"]}, "the environments a, b")],
    )
    def test_without_one_the_problem_lists_what_there_is(self, environments: dict[str, list[str]], there: str) -> None:
        (problem,) = missing_modules(self.SAID, environments)
        assert f"They have Python's own, beanbot and numpy, and this server has {there}." in str(problem)
        assert "'beanleague environment list' and docs/environments.md say more" in str(problem)

    def test_other_errors_are_no_missing_module(self) -> None:
        assert not list(missing_modules("ImportError: cannot import name 'x' from 'torch'", {}))
