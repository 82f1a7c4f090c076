"""How much two replays of a deal can tell each other, layer by layer: the best of several channels.

At the same time: two processes of a bot run under a layer (the sender twice, as a bot has several lanes). A channel is
worth what a receiver can tell that knows the best threshold: the mutual information of bits sent and bits read.

One after the other, as in an isolated league: the sender has ended when the receiver starts, and all that they read is
in memory. It can leave a number behind in what the kernel counts, or in the time at which it ends, and that carries as
many bits as there are numbers that the receiver can tell apart.
"""

from __future__ import annotations

import math
import os
import random
import shutil
import socket
import statistics
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from beanleague.referee.messages import Limits
from beanleague.referee.sandbox.in_memory import held_in_memory, why_not_isolated
from beanleague.referee.sandbox.launch import BotFiles, Sandbox
from beanleague.referee.sandbox.layers import CONFINING, Layer
from beanleague.referee.sandbox.probe import examine
from beanleague.referee.sandbox.users import BotUsers
from beanleague.referee.temp_folders import MEMORY, TempFolder
from benchmarks.figures import Figure

MATCH_S = 10.0
"""Seconds in which both replays think: the bank of time of a match, by default."""

SENDERS = 2
RUNS = 3
BITS = 200
PAIRS = 12
"""Senders with a receiver after them."""

SLOTS = {
    "CPU load": (0.01, 0.03),
    "wake-up times": (0.01, 0.03),
    "inode numbers of pipes": (0.003, 0.01),
    "process numbers": (0.003, 0.01),
    "descriptors of others": (0.003, 0.01),
    "unread files": (0.001,),
}
"""Seconds a bit, for each channel."""

_START_S = 2.0  # for all processes to be there
_PROGRAM = Path(__file__).with_name("channel_bot.py")


def measure() -> list[Figure]:
    """Return bits a match for each layer and channel, with the slot that carries most."""
    figures = []
    for layer in (Layer.PLAIN, *CONFINING):
        sandbox = examine(layer, Limits()).sandbox
        if sandbox is None:
            continue
        for channel, slots in SLOTS.items():
            best = max(
                (tuple(_bits_a_second(sandbox, channel, slot, run) * MATCH_S for run in range(RUNS)) for slot in slots),
                key=lambda runs: sorted(runs)[RUNS // 2],
            )
            figures.append(Figure(f"channels: {layer}, {channel}", "bits", best))
    return [*figures, *_isolated()]


def _isolated() -> Iterator[Figure]:
    """Yield bits a match of channels between processes that are never there at the same time."""
    if why_not_isolated(Limits()):
        return
    with held_in_memory([], Limits()) as (sandbox, _), TempFolder(MEMORY) as folder:
        files = tuple(_files_left(sandbox, folder.path, run) for run in range(RUNS))
        yield Figure("channels: isolated, unread files", "bits", files)
        yield from _numbers_left(sandbox, folder.path)


def _files_left(sandbox: Sandbox, folder: Path, run: int) -> float:
    """Return the bits a match that files in memory carry, which the sender has read or not."""
    place = folder / f"files{run}"
    place.mkdir()
    seed, slot = f"left {run}", 0.001
    bundle = _bundle(place)
    _write_unread(bundle / "unread")
    said = b""
    for number, role in enumerate(("send", "receive")):
        start = time.time() + _START_S - (BITS * slot if number else 0)
        words = ("unread files", seed, str(BITS), str(slot), str(start))
        said = _start(sandbox, place, number, (role, *words)).communicate()[0]
    sent = random.Random(seed).choices((0, 1), k=BITS)
    return information(sent, [float(line) for line in said.decode().splitlines()[:BITS]]) / slot * MATCH_S


def _numbers_left(sandbox: Sandbox, folder: Path) -> Iterator[Figure]:
    """Yield the bits of numbers: how many the sender can choose from, and how far off the receiver finds them."""
    _bundle(folder)
    inodes, times, rates = [], [], []
    for pair in range(PAIRS):
        inode, ended, rate = _readings(sandbox, folder, 2 * pair, "leave")
        next_inode, started, _ = _readings(sandbox, folder, 2 * pair + 1, "find")
        inodes.append(next_inode - inode)
        times.append(started - ended)
        rates.append(rate)
    for what, offsets, numbers in (
        ("inode numbers", inodes, MATCH_S * statistics.median(rates)),
        ("time of the next start", times, MATCH_S),
    ):
        yield Figure(f"channels: isolated, {what}", "bits", (math.log2(1 + numbers / (max(offsets) - min(offsets))),))


def _readings(sandbox: Sandbox, folder: Path, number: int, role: str) -> tuple[float, ...]:
    process = _launch(sandbox, folder, number, ("python", _PROGRAM.name, role))
    return tuple(map(float, process.communicate()[0].split()))


def _bits_a_second(sandbox: Sandbox, channel: str, slot: float, run: int) -> float:
    seed = f"{channel} {slot} {run}"
    sent = random.Random(seed).choices((0, 1), k=BITS)
    with TempFolder() as folder:
        folder.path.chmod(0o755)
        bundle = _bundle(folder.path)
        if channel == "unread files":
            _write_unread(bundle / "unread")
        start = time.time() + _START_S
        words = (channel, seed, str(BITS), str(slot), str(start))
        processes = [
            _start(sandbox, folder.path, number, ("send" if number else "receive", *words))
            for number in range(SENDERS + 1)
        ]
        said, _ = processes[0].communicate()
        for process in processes[1:]:
            process.communicate()
    measured = [float(line) for line in said.decode().splitlines()[:BITS]] if not processes[0].returncode else []
    return information(sent[: len(measured)], measured) / slot


def _bundle(folder: Path) -> Path:
    bundle = folder / "bundle"
    bundle.mkdir()
    shutil.copy(_PROGRAM, bundle)
    return bundle


def _start(sandbox: Sandbox, folder: Path, number: int, words: tuple[str, ...]) -> subprocess.Popen[bytes]:
    role, channel, *rest = words
    return _launch(sandbox, folder, number, ("python", _PROGRAM.name, channel, role, *rest))


def _launch(sandbox: Sandbox, folder: Path, number: int, command: tuple[str, ...]) -> subprocess.Popen[bytes]:
    home = folder / f"home{number}"
    home.mkdir()
    path = home / "referee"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(path))
    files = BotFiles(command, folder / "bundle", path, home)
    with BotUsers(needed=sandbox.gives_users) as users:
        return sandbox.start(files, users.take(), sandbox.group(files))


def _write_unread(folder: Path) -> None:
    """Write a file a bit, none of which is in the page cache afterwards."""
    folder.mkdir()
    for number in range(BITS):
        (folder / str(number)).write_bytes(bytes(4096))
    os.sync()
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def information(sent: Sequence[int], measured: Sequence[float]) -> float:
    """Return the information about the sent bits in a measurement, per bit; threshold from the first half."""
    half = len(sent) // 2
    if not half:
        return 0.0
    first, second = list(zip(sent, measured, strict=True))[:half], list(zip(sent, measured, strict=True))[half:]
    threshold = max((value for _, value in first), key=lambda value: _mutual(first, value))
    return _mutual(second, threshold)


def _mutual(pairs: Sequence[tuple[int, float]], threshold: float) -> float:
    """Return the mutual information of both, minus the mean of unrelated bits."""
    counts = [[0, 0], [0, 0]]
    for bit, value in pairs:
        counts[bit][value >= threshold] += 1
    total = len(pairs)
    found = 0.0
    for bit in (0, 1):
        for read in (0, 1):
            if joint := counts[bit][read]:
                expected = sum(counts[bit]) * (counts[0][read] + counts[1][read]) / total
                found += joint / total * math.log2(joint / expected)
    return max(found - 1 / (2 * math.log(2) * total), 0.0)  # the bias of the estimate, by Miller and Madow
