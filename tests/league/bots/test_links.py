from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from beanleague.league.bots import entries
from beanleague.league.bots.bundles import pack, read_bundle
from beanleague.league.errors import BundleError
from tests.league.bots.test_bundles import FILES, folder
from tests.league.helpers import TOML, zipped

MODULE = {"node_modules/tool/run.js": "run\n", "node_modules/tool/lib/x.js": "x\n"}


def linked(root: Path, links: Mapping[str, str], files: Mapping[str, str] = {**FILES, **MODULE}) -> Path:
    """Make a folder with `files` and links, each to where its value says."""
    folder(root, files)
    for name, target in links.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)
    return root


def zipped_with_links(links: Mapping[str, str], files: Mapping[str, str] = {**FILES, **MODULE}) -> bytes:
    """Return the same as a zip file, as `zip --symlinks` makes it."""
    out = io.BytesIO(zipped(dict(files)))
    with zipfile.ZipFile(out, "a") as archive:
        for name, target in links.items():
            info = zipfile.ZipInfo(name)
            info.create_system = 3
            info.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(info, target)
    return out.getvalue()


def problem(data: bytes) -> str:
    with pytest.raises(BundleError) as error:
        read_bundle(data)
    return str(error.value)


class TestFollowed:
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
        made = read_bundle(pack(linked(tmp_path, links)))
        assert made == read_bundle(zipped_with_links(links))
        assert read_bundle(made.data) == made
        if copies is None:  # links to folders with links in them
            assert made.files["y/l/tool/lib/x.js"].content == b"x\n"
        else:
            assert made == read_bundle(zipped({**FILES, **MODULE, **copies}))

    def test_a_copy_of_a_program_is_one(self, tmp_path: Path) -> None:
        linked(tmp_path, {"run": "node_modules/tool/run.js"})
        (tmp_path / "node_modules/tool/run.js").chmod(0o755)
        assert read_bundle(pack(tmp_path)).files["run"].program

    def test_links_to_what_is_left_out_are_left_out(self, tmp_path: Path) -> None:
        files = {**FILES, **MODULE, "bot.toml": TOML.format(name="ann") + 'leave_out = ["tool"]\n'}
        links = {"node_modules/.bin/run": "../tool/run.js", "far": "node_modules/.bin/run"}
        expected = read_bundle(zipped({**FILES, "bot.toml": files["bot.toml"]}))
        assert read_bundle(pack(linked(tmp_path, links, files))) == expected
        assert read_bundle(zipped_with_links(links, files)) == expected


class TestRefused:
    @pytest.mark.parametrize(
        ("links", "expected"),
        [
            ({"x": "/etc/passwd"}, "x: is a link to '/etc/passwd', which leads out of the bundle"),
            ({"x": "../secret"}, "x: is a link to '../secret', which leads out of the bundle"),
            ({"lib/x": "../../secret"}, "lib/x: is a link to '../../secret', which leads out of the bundle"),
            ({"x": "y", "y": "/etc"}, "x: is a link to 'y', which leads out of the bundle"),
            ({"lib/up": "..", "x": "lib/up/../bot.py"}, "lib/up: is a link to a folder that it lies in"),
            ({"x": "nothing"}, "x: is a link to 'nothing', which is not in the bundle"),
            ({"x": "bot.py/y"}, "x: is a link to 'bot.py/y', which is not in the bundle"),
            ({"x": "x"}, "x: is a link that leads in a circle"),
            ({"x": "y", "y": "x"}, "x: is a link that leads in a circle"),
            ({"x": "x/y"}, "x: is a link that leads in a circle"),
            ({"x": "."}, "x: is a link to a folder that it lies in"),
            ({"lib/x": "../node_modules", "node_modules/y": "../lib"}, "is a link to a folder that it lies in"),
        ],
    )
    def test_links_that_lead_out_or_nowhere(self, tmp_path: Path, links: dict[str, str], expected: str) -> None:
        (tmp_path / "secret").write_text("of the referee")
        found = problem(zipped_with_links(links))
        assert found.endswith(expected)
        with pytest.raises(BundleError, match=r"leads out|not in the bundle|in a circle|it lies in"):
            pack(linked(tmp_path / "bot", links))

    def test_a_link_in_place_of_the_manifest(self, tmp_path: Path) -> None:
        files = {"real.toml": FILES["bot.toml"], "bot.py": FILES["bot.py"]}
        assert problem(zipped_with_links({"bot.toml": "real.toml"}, files)) == "bot.toml: is a link; it must be a file"
        with pytest.raises(BundleError, match=r"bot.toml: is a link; it must be a file"):
            pack(linked(tmp_path, {"bot.toml": "real.toml"}, files))

    def test_a_file_below_a_link(self) -> None:
        data = zipped_with_links({"out": "/tmp"}, {**FILES, "out/x": "x"})  # nothing is written there
        assert problem(data) == "out: is a file, but out/x needs a folder of this name"

    def test_links_that_stand_for_more_than_a_bundle_may_have(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Each folder has ten links to the one below it: 10 ** 8 files."""
        monkeypatch.setattr(entries, "MAX_UNPACKED_BYTES", 2**20)
        links = {f"{level}/{number}": f"../{level + 1}" for level in range(8) for number in range(10)}
        files = {**FILES, "8/file": "x"}
        assert "exceeds the limit of 1 MiB unpacked" in problem(zipped_with_links(links, files))
        with pytest.raises(BundleError, match="exceeds the limit of 1 MiB unpacked"):
            pack(linked(tmp_path, links, files))

    def test_targets_that_are_no_names(self) -> None:
        assert "is not in the bundle" in problem(zipped_with_links({"x": "\0"}))
        assert "is not in the bundle" in problem(zipped_with_links({"x": "y" * 5000}))
