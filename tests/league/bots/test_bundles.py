"""Bundles: what is read of folders and zip files, and what is refused."""

import contextlib
import hashlib
import io
import os
import re
import stat
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from beanleague.league.bots import bundles, entries, reading
from beanleague.league.bots.cache import BundleCache
from beanleague.league.errors import BundleError, LeagueError
from tests.league.helpers import TOML, zipped

CODE = "print('beans')\n"
FILES = {"bot.toml": TOML.format(name="ann"), "bot.py": CODE, "lib/trade.py": "x = 1\n"}


def folder(root: Path, files: Mapping[str, str] = FILES) -> Path:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


def entry(name: str, mode: int = stat.S_IFREG | 0o644, content: bytes = b"x") -> bytes:
    """Return a zip file with one more entry than `FILES`."""
    out = io.BytesIO(zipped(FILES))
    with zipfile.ZipFile(out, "a") as archive:
        info = zipfile.ZipInfo("placeholder" if "\0" in name else name)
        info.filename = name
        info.create_system = 3
        info.external_attr = mode << 16
        archive.writestr(info, content)
    return out.getvalue()


BACKSLASH = (
    'has a backslash in its name, where zip files have "/"; some Windows programs write such files: use another '
    "program, or submit the folder"
)
LEFT_OUT = "copy the file, or list it or its folder in leave_out of bot.toml"


class TestCanonical:
    def test_a_folder_and_its_zip_are_the_same_bundle(self, tmp_path: Path) -> None:
        packed = bundles.read_bundle(bundles.pack(folder(tmp_path)))
        zipped_again = bundles.read_bundle(zipped(dict(reversed(FILES.items()))))
        assert packed == zipped_again
        assert packed.manifest.name == "ann"
        assert packed.size == sum(map(len, FILES.values()))
        assert sorted(packed.files) == sorted(FILES)

    @pytest.mark.parametrize(
        "beside", [{}, {"ann/": ""}, {"__MACOSX/ann/._bot.py": "x", "__MACOSX/._ann": "x", ".DS_Store": "x"}]
    )
    def test_a_zip_of_the_folder_itself_is_the_same_bundle(self, beside: dict[str, str]) -> None:
        inside = {f"ann/{name}": content for name, content in {**FILES, ".DS_Store": "x"}.items()}
        assert bundles.read_bundle(zipped({**beside, **inside})) == bundles.read_bundle(zipped(FILES))

    def test_leave_out_is_about_the_folder_of_the_manifest(self) -> None:
        files = {**FILES, "bot.toml": FILES["bot.toml"] + 'leave_out = ["lib/trade.py"]\n'}
        inside = {f"ann/{name}": content for name, content in files.items()}
        assert sorted(bundles.read_bundle(zipped(inside)).files) == ["bot.py", "bot.toml"]

    def test_the_canonical_zip_is_the_bundle_again(self) -> None:
        made = bundles.read_bundle(zipped(FILES))
        assert bundles.read_bundle(made.data) == made

    def test_the_digest_can_be_recomputed_from_the_files_alone(self) -> None:
        listing = "".join(f"{hashlib.sha256(FILES[name].encode()).hexdigest()} r {name}\n" for name in sorted(FILES))
        assert bundles.read_bundle(zipped(FILES)).digest == hashlib.sha256(listing.encode()).hexdigest()

    def test_executable_files_stay_executable(self, tmp_path: Path) -> None:
        folder(tmp_path)
        plain = bundles.read_bundle(bundles.pack(tmp_path))
        (tmp_path / "bot.py").chmod(0o755)
        program = bundles.read_bundle(bundles.pack(tmp_path))
        assert program.digest != plain.digest
        assert bundles.read_bundle(program.data).files["bot.py"] == entries.File(CODE.encode(), program=True)

    def test_a_zip_on_disk_is_taken_as_it_is(self, tmp_path: Path) -> None:
        (tmp_path / "bot.zip").write_bytes(zipped(FILES))
        assert bundles.pack(tmp_path / "bot.zip") == zipped(FILES)

    @given(st.dictionaries(st.from_regex(r"[a-z]{1,3}(/[a-z]{1,3}){0,2}\.py", fullmatch=True), st.binary(max_size=50)))
    def test_any_files_come_back(self, contents: dict[str, bytes]) -> None:
        files = {name: entries.File(content, program=bool(content)) for name, content in contents.items()}
        assert reading.read_zip(bundles.write_zip(files)) == files
        assert bundles.digest(dict(reversed(files.items()))) == bundles.digest(files)


class TestRefused:
    @pytest.mark.parametrize(
        ("name", "problem"),
        [
            ("/etc/passwd", "/etc/passwd: is an absolute path"),
            ("C:/bot.py", "C:/bot.py: is an absolute path"),
            ("../bot.py", "../bot.py: points outside the bundle"),
            ("lib/../../bot.py", "lib/../../bot.py: points outside the bundle"),
            ("lib\\bot.py", f"lib\\bot.py: {BACKSLASH}"),
            ("lib//bot.py", "'lib//bot.py': is not a plain file name"),
            ("./x.py", "'./x.py': is not a plain file name"),
            ("x\n.py", "'x\\n.py': has unprintable characters in its name"),
            ("x\0.py", "'x\\x00.py': has a NUL in its name"),
            ("x" * 201, f"{'x' * 100}...: has a name of more than 200 bytes"),
            ("BOT.py", "BOT.py: differs from bot.py only in upper and lower case; rename one"),
            ("LIB/Trade.PY", "LIB/Trade.PY: differs from lib/trade.py only in upper and lower case; rename one"),
            ("lib", "lib: is a file, but lib/trade.py needs a folder of this name"),
            ("Lib", "lib: is a file, but lib/trade.py needs a folder of this name"),
        ],
    )
    def test_names_that_are_no_plain_relative_paths(self, name: str, problem: str) -> None:
        with pytest.raises(BundleError) as error:
            bundles.read_bundle(entry(name))
        assert str(error.value) == problem

    @pytest.mark.filterwarnings("ignore:Duplicate name")
    def test_a_name_that_is_there_twice(self) -> None:
        with pytest.raises(BundleError, match=r"bot.py: occurs twice"):
            bundles.read_bundle(entry("bot.py"))

    @pytest.mark.parametrize(
        ("mode", "problem"),
        [
            (stat.S_IFCHR | 0o600, "x: is a device, pipe or socket; a bundle may contain only files and folders"),
            (stat.S_IFIFO | 0o600, "x: is a device, pipe or socket; a bundle may contain only files and folders"),
            (
                stat.S_IFLNK | 0o777,
                "x: is a symbolic link; submit the folder itself, or pack what it points to (zip does without -y)",
            ),
        ],
    )
    def test_links_and_devices_in_a_zip(self, mode: int, problem: str) -> None:
        with pytest.raises(BundleError) as error:
            bundles.read_bundle(entry("x", mode))
        assert str(error.value) == problem

    def test_links_are_refused_before_anything_is_unpacked(self) -> None:
        """However many there are, and wherever they lead: following them took 0.2 s of CPU for each."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("bot.py", b"MARK")
            for number in range(40):
                info = zipfile.ZipInfo(f"hop{number}")
                info.external_attr = (stat.S_IFLNK | 0o777) << 16
                archive.writestr(info, "lib/../" * 140 + f"hop{number + 1}")
        damaged = out.getvalue().replace(b"MARK", b"mark")
        with pytest.raises(BundleError, match=r"^hop0: is a symbolic link"):
            reading.read_zip(damaged)

    def test_links_below_what_is_left_out(self) -> None:
        assert bundles.read_bundle(entry(".venv/python", stat.S_IFLNK | 0o777)) == bundles.read_bundle(zipped(FILES))

    def test_reading_ends_when_the_caller_does(self) -> None:
        """Before the next file: what was asked for before is read."""
        answers = iter([True] * (2 * len(FILES) - 1))
        with pytest.raises(LeagueError, match="reading the bundle was cancelled"):
            reading.read_zip(zipped(FILES), wanted=lambda: next(answers, False))

    def test_devices_in_a_folder(self, tmp_path: Path) -> None:
        folder(tmp_path)
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(BundleError, match="pipe: is a device, pipe or socket"):
            bundles.pack(tmp_path)

    def test_a_bundle_without_a_manifest(self) -> None:
        with pytest.raises(BundleError, match=r"^bot.toml: is missing$"):
            bundles.read_bundle(zipped({"bot.py": CODE}))
        two = {f"{folder}/{name}": content for folder in ("ann", "bob") for name, content in FILES.items()}
        with pytest.raises(BundleError, match=r"bot.toml: is missing; it is in 'ann': submit that folder"):
            bundles.read_bundle(zipped(two))
        with pytest.raises(BundleError, match=r"bot.toml: is missing; it is in 'bots/ann': submit that folder"):
            bundles.read_bundle(zipped({f"bots/ann/{name}": content for name, content in FILES.items()}))

    @pytest.mark.parametrize("data", [b"", b"no zip at all", zipped(FILES)[:-30], zipped(FILES)[40:]])
    def test_a_broken_archive_is_refused(self, data: bytes) -> None:
        with pytest.raises(BundleError, match=r"not a readable zip file|not a zip file|is missing|the file is empty"):
            bundles.read_bundle(data)

    def test_a_damaged_file_in_a_zip(self) -> None:
        data = zipped(FILES).replace(CODE.encode(), CODE.upper().encode())
        with pytest.raises(BundleError, match=r"not a readable zip file: Bad CRC-32 for file 'bot.py'"):
            bundles.read_bundle(data)

    def test_an_encrypted_file_in_a_zip(self) -> None:
        data = bytearray(zipped(FILES))
        flags = data.index(b"PK\x01\x02") + 8
        data[flags : flags + 2] = struct.pack("<H", 1)
        with pytest.raises(BundleError, match=r"bot.toml: is encrypted"):
            bundles.read_bundle(bytes(data))

    def test_unusual_packing(self) -> None:
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_LZMA) as archive:
            archive.writestr("bot.toml", TOML)
        with pytest.raises(BundleError, match=r"bot.toml: is packed in an unusual way"):
            bundles.read_bundle(out.getvalue())

    def test_a_path_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(BundleError, match="none: cannot be read: No such file or directory"):
            bundles.pack(tmp_path / "none")

    @given(st.binary(max_size=300), st.integers(0, 400))
    def test_garbage_is_refused_or_read_but_nothing_else(self, garbage: bytes, where: int) -> None:
        """Whatever is written over a good bundle, only a `BundleError` comes of it."""
        good = zipped(FILES)
        data = good[:where] + garbage + good[where + len(garbage) :]
        with contextlib.suppress(BundleError):
            bundles.read_bundle(data)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lowers the limits."""
    monkeypatch.setattr(entries, "MAX_UNPACKED_BYTES", 2**20)
    monkeypatch.setattr(reading, "MAX_ENTRIES", 300)


@pytest.mark.usefixtures("small")
class TestLimits:
    def test_files_and_folders_take_whole_blocks(self, tmp_path: Path) -> None:
        few = {f"many/{number}": "" for number in range(255 - 1 - len(FILES))}  # and the folders many and lib
        reading.read_folder(folder(tmp_path, {**FILES, **few}))
        with pytest.raises(BundleError, match=r"over the limit of 1 MiB unpacked \(each file and folder"):
            reading.read_zip(zipped({**FILES, **few, "zzz": ""}))
        (tmp_path / "zzz").mkdir()
        with pytest.raises(BundleError, match=r"brings the bundle over the limit of 1 MiB unpacked"):
            reading.read_folder(tmp_path)

    def test_folders_without_an_entry_of_their_own_take_space_too(self) -> None:
        deep = {"/".join([f"{number}", *("x" * 90)]): "" for number in range(3)}
        with pytest.raises(BundleError, match="over the limit"):
            reading.read_zip(zipped({**FILES, **deep}))

    def test_entries_that_are_left_out(self) -> None:
        leavings = {f"__pycache__/{number}.pyc": "" for number in range(300)}
        with pytest.raises(BundleError, match="the zip file has 303 entries; 300 are allowed"):
            reading.read_zip(zipped({**FILES, **leavings}), new=True)

    def test_unpacked_size(self, tmp_path: Path) -> None:
        bomb = {**FILES, "zeros": "\0" * 2**20}
        with pytest.raises(BundleError, match="zeros: brings the bundle over the limit of 1 MiB unpacked"):
            reading.read_folder(folder(tmp_path, bomb))
        with pytest.raises(BundleError, match="zeros: brings the bundle over the limit of 1 MiB unpacked"):
            reading.read_zip(zipped(bomb))

    def test_a_zip_that_lies_about_sizes(self) -> None:
        """The size in the directory is made small; what is unpacked is counted, too."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("zeros", b"\0" * 2**22)
        data = out.getvalue().replace(struct.pack("<I", 2**22), struct.pack("<I", 10))
        with pytest.raises(BundleError):
            reading.read_zip(data)


def test_packed_size(tmp_path: Path) -> None:
    noise = os.urandom(5 * 2**20)
    (tmp_path / "noise").write_bytes(noise)
    (tmp_path / "bot.toml").write_text("")
    for path in (tmp_path, tmp_path / "noise"):
        if path.is_file():
            path.write_bytes(noise + b"x")
        with pytest.raises(BundleError, match="the packed bundle is larger than the limit of 5 MiB"):
            bundles.pack(path)


def test_the_largest_files_of_a_bundle_that_is_too_large_are_named(tmp_path: Path) -> None:
    sizes = {"data/model.bin": 3, "other.bin": 2, "third.bin": 1}
    files: dict[str, str | bytes] = {**FILES, **{name: os.urandom(mib * 2**20) for name, mib in sizes.items()}}
    first, second, third = "'data/model.bin' with 3.0 MiB", "'other.bin' with 2.0 MiB", "'third.bin' with 1.0 MiB"
    named = f"its largest files are {first}, {second}, {third}, and 'data' takes 3.0 MiB in all: pack the bot without"
    (tmp_path / "ann.zip").write_bytes(zipped(files))
    for name, content in files.items():
        (tmp_path / "ann" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "ann" / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    for path in (tmp_path / "ann.zip", tmp_path / "ann"):
        with pytest.raises(BundleError) as error:
            bundles.pack(path)
        assert named in str(error.value)


LEAVINGS = {
    ".git/config": "x",
    ".venv/bin/python": "x",
    "__MACOSX/bot.py": "x",
    "__pycache__/bot.pyc": "x",
    "lib/old.pyc": "x",
    "node_modules/.cache/x": "x",
    "node_modules/long/index.js.map": "x",
    "node_modules/long/index.d.ts.map": "x",
    "lib/__pycache__/trade.pyc": "x",
}


@pytest.mark.parametrize(
    ("pattern", "left_out", "kept"),
    [
        ("test", ["test", "test/x.js", "lib/test/x.js"], ["tests", "lib/test.js"]),
        ("*.md", ["a.md", "lib/b.md", "docs.md/x"], ["a.mdx"]),
        ("build/", ["build", "lib/build/x"], ["rebuild"]),
        ("/build", ["build", "build/x"], ["lib/build"]),
        ("lib/*.js", ["lib/a.js", "lib/a.js/x"], ["a.js", "lib/x/a.js", "x/lib/a.js"]),
        ("node_modules/.cache", ["node_modules/.cache/x"], ["node_modules/x"]),
        ("*", ["a", "lib/b"], ["bot.toml"]),
    ],
)
def test_a_pattern_is_for_names_anywhere_or_for_a_place(pattern: str, left_out: list[str], kept: list[str]) -> None:
    leaves_out = entries.LeaveOut([pattern])
    assert [name for name in (*left_out, *kept) if leaves_out(name)] == left_out


def test_by_products_of_tools_are_in_no_bundle(tmp_path: Path) -> None:
    assert bundles.read_bundle(bundles.pack(folder(tmp_path, {**FILES, **LEAVINGS}))) == bundles.read_bundle(
        zipped(FILES)
    )
    assert bundles.read_bundle(zipped({**FILES, **LEAVINGS})) == bundles.read_bundle(zipped(FILES))


def test_a_manifest_names_what_else_is_left_out(tmp_path: Path) -> None:
    manifest = TOML.format(name="ann") + 'leave_out = ["notes", "*.ts"]\n'
    files = {"bot.toml": manifest, "bot.py": CODE}
    more = {"notes/plan.txt": "x", "lib/types.ts": "x", "node_modules/x/types.d.ts": "x"}
    assert bundles.read_bundle(bundles.pack(folder(tmp_path, {**files, **more}))) == bundles.read_bundle(zipped(files))
    assert bundles.read_bundle(zipped({**files, **more})) == bundles.read_bundle(zipped(files))


def test_left_out_files_count_for_no_limit(tmp_path: Path) -> None:
    """A virtual environment with more than a bundle may have, and names that no bundle may have."""
    folder(tmp_path)
    large = tmp_path / ".venv" / "large"
    large.parent.mkdir()
    with large.open("wb") as file:
        file.truncate(2**30)
    (tmp_path / ".venv" / "python").symlink_to("/usr/bin/python3")
    assert bundles.read_bundle(bundles.pack(tmp_path)) == bundles.read_bundle(zipped(FILES))


def test_a_command_that_needs_what_is_left_out_is_refused() -> None:
    files = {**FILES, "bot.toml": TOML.format(name="ann") + 'leave_out = ["*.py"]\n'}
    with pytest.raises(BundleError, match=r"^bot.toml: command: there is no file 'bot.py' in the bundle$"):
        bundles.read_bundle(zipped(files))


def test_a_stored_bundle_is_read_with_all_its_files(tmp_path: Path) -> None:
    """One of a time when less was left out keeps its digest, in the database and unpacked."""
    old = {name: text for name, text in {**FILES, **LEAVINGS}.items() if not entries.LeaveOut(entries.ALWAYS)(name)}
    assert any(entries.LeaveOut(entries.BY_DEFAULT)(name) for name in old)
    data = zipped(old)
    name = bundles.digest(reading.read_zip(data))
    cached = BundleCache(tmp_path).folder(name, lambda: data)
    assert {file.relative_to(cached).as_posix() for file in cached.rglob("*") if file.is_file()} == old.keys()


def test_the_owner_of_an_unpacked_bundle_can_delete_it_and_its_files_are_read_only(tmp_path: Path) -> None:
    data = zipped(FILES)
    cached = BundleCache(tmp_path).folder(bundles.digest(reading.read_zip(data)), lambda: data)
    paths = [cached, *cached.rglob("*")]
    assert {path.name for path in paths if path.is_dir()} == {cached.name, "lib"}
    assert {path.stat().st_mode & 0o777 for path in paths if path.is_dir()} == {0o755}
    assert {path.stat().st_mode & 0o777 for path in paths if path.is_file()} == {0o444}


def test_a_manifest_that_cannot_be_read_is_reported() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("bot.toml", "leave_out = [")
    with pytest.raises(BundleError, match=r"bot.toml: is not valid TOML"):
        bundles.read_bundle(out.getvalue())


MODULE = {"node_modules/tool/run.js": "run\n", "node_modules/tool/lib/x.js": "x\n"}


def linked(root: Path, links: Mapping[str, str], files: Mapping[str, str] = {**FILES, **MODULE}) -> Path:
    """Make a folder with `files` and links, each to where its value says."""
    folder(root, files)
    for name, target in links.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)
    return root


class TestLinksOfAFolder:
    @pytest.mark.parametrize(
        ("links", "copies"),
        [
            ({"node_modules/.bin/run": "../tool/run.js"}, {"node_modules/.bin/run": "run\n"}),
            ({"a": "b", "b": "c", "c": "bot.py"}, dict.fromkeys("abc", FILES["bot.py"])),
            ({"here": "./lib/../lib//trade.py"}, {"here": FILES["lib/trade.py"]}),
            ({"tool": "node_modules/tool"}, {"tool/run.js": "run\n", "tool/lib/x.js": "x\n"}),
            ({"t": "node_modules/tool", "x": "t/lib/x.js"}, {"t/run.js": "run\n", "t/lib/x.js": "x\n", "x": "x\n"}),
            ({"lib/l": "../node_modules", "y": "lib"}, None),
        ],
    )
    def test_a_copy_takes_the_place_of_a_link(
        self, tmp_path: Path, links: dict[str, str], copies: dict[str, str] | None
    ) -> None:
        made = bundles.read_bundle(bundles.pack(linked(tmp_path, links)))
        assert bundles.read_bundle(made.data) == made
        if copies is None:  # links to folders with links in them
            assert made.files["y/l/tool/lib/x.js"].content == b"x\n"
        else:
            assert made == bundles.read_bundle(zipped({**FILES, **MODULE, **copies}))

    def test_a_copy_of_a_program_is_one(self, tmp_path: Path) -> None:
        linked(tmp_path, {"run": "node_modules/tool/run.js"})
        (tmp_path / "node_modules/tool/run.js").chmod(0o755)
        assert bundles.read_bundle(bundles.pack(tmp_path)).files["run"].program

    def test_links_to_what_is_left_out_are_left_out(self, tmp_path: Path) -> None:
        files = {**FILES, **MODULE, "bot.toml": TOML.format(name="ann") + 'leave_out = ["tool"]\n'}
        links = {"node_modules/.bin/run": "../tool/run.js", "far": "node_modules/.bin/run"}
        expected = bundles.read_bundle(zipped({**FILES, "bot.toml": files["bot.toml"]}))
        assert bundles.read_bundle(bundles.pack(linked(tmp_path, links, files))) == expected


class TestRefusedLinks:
    @pytest.mark.parametrize(
        ("links", "expected"),
        [
            ({"x": "/etc/passwd"}, f"x: is a link to '/etc/passwd', which points outside the bundle; {LEFT_OUT}"),
            ({"x": "../secret"}, f"x: is a link to '../secret', which points outside the bundle; {LEFT_OUT}"),
            (
                {"lib/x": "../../secret"},
                f"lib/x: is a link to '../../secret', which points outside the bundle; {LEFT_OUT}",
            ),
            ({"x": "y", "y": "/etc"}, f"x: is a link to 'y', which points outside the bundle; {LEFT_OUT}"),
            ({"lib/up": "..", "x": "lib/up/../bot.py"}, "lib/up: is a link to a folder that contains it"),
            ({"x": "nothing"}, "x: is a link to 'nothing', which points to nothing"),
            ({"x": "bot.py/y"}, "x: is a link to 'bot.py/y', which points to nothing"),
            ({"x": "x"}, "x: is a link to 'x', which points to nothing"),
            ({"x": "y", "y": "x"}, "x: is a link to 'y', which points to nothing"),
            ({"x": "x/y"}, "x: is a link to 'x/y', which points to nothing"),
            ({"x": "."}, "x: is a link to a folder that contains it"),
            ({"lib/x": "../node_modules", "node_modules/y": "../lib"}, "is a link to a folder that contains it"),
        ],
    )
    def test_links_that_lead_out_or_nowhere(self, tmp_path: Path, links: dict[str, str], expected: str) -> None:
        (tmp_path / "secret").write_text("of the referee")
        with pytest.raises(BundleError, match=rf"{re.escape(expected)}$"):
            bundles.pack(linked(tmp_path / "bot", links))

    def test_a_link_in_place_of_the_manifest(self, tmp_path: Path) -> None:
        files = {"real.toml": FILES["bot.toml"], "bot.py": FILES["bot.py"]}
        with pytest.raises(BundleError, match=r"bot.toml: is a link; it must be a file"):
            bundles.pack(linked(tmp_path, {"bot.toml": "real.toml"}, files))

    @pytest.mark.usefixtures("small")
    def test_links_that_stand_for_more_than_a_bundle_may_have(self, tmp_path: Path) -> None:
        """Each folder has ten links to the one below it: 10 ** 8 files."""
        links = {f"{level}/{number}": f"../{level + 1}" for level in range(8) for number in range(10)}
        linked(tmp_path, links, {**FILES, "8/file": "x"})
        with pytest.raises(BundleError, match="brings the bundle over the limit of 1 MiB unpacked"):
            reading.read_folder(tmp_path)
