"""One end of a channel between two replays of a deal, as `channels.py` runs it: standard library only.

    channel_bot.py leave|find

Traces of an ended process: writes to stderr the number of the last or the next inode of a pipe, the time, and the
number of inodes that it can use up in a second.

    channel_bot.py CHANNEL send|receive SEED BITS SLOT START

From START (seconds of the clock) on, each of BITS slots of SLOT seconds carries a bit. Both ends know the bits: they
follow from SEED. The receiver writes its measurements to stderr, a number per slot.
"""

import os
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

FILES = Path(__file__).parent / "unread"
HELD = 40
"""Descriptors that encode a bit."""
NEAR = 60
"""Process numbers around the own one that are looked at."""


def spin(end: float) -> float:
    """Be busy, and return how much got done."""
    rounds = 0
    while time.time() < end:
        rounds += 1
    return rounds


def sleep_often(end: float) -> float:
    """Return how late the process woke up in all."""
    late = 0.0
    while (now := time.time()) < end:
        time.sleep(0.0001)
        late += time.time() - now - 0.0001
    return late


def open_pipes(end: float) -> float:
    """Count the pipe inodes that other processes took from the kernel's common sequence."""
    first = last = count = 0
    while time.time() < end:
        ours, theirs = os.pipe()
        last = os.fstat(ours).st_ino
        first = first or last
        os.close(ours)
        os.close(theirs)
        count += 1
    return last - first - count


def count_pipes(seconds: float) -> float:
    """Return how many inodes of pipes this process can use up in a second."""
    start, count = time.time(), 0
    while time.time() < start + seconds:
        for end in os.pipe():
            os.close(end)
        count += 1
    return count / (time.time() - start)


def next_inode() -> int:
    """Return the number of an inode that is made now."""
    ends = os.pipe()
    number = os.fstat(ends[0]).st_ino
    for end in ends:
        os.close(end)
    return number


def start_threads(end: float) -> float:
    """Return how many process numbers others took."""
    numbers: list[int] = []
    while time.time() < end:
        thread = threading.Thread(target=lambda: numbers.append(threading.get_native_id()))
        thread.start()
        thread.join()
    return numbers[-1] - numbers[0] - len(numbers) if numbers else -1


def open_files(end: float) -> float:
    """Hold many descriptors."""
    held = [os.dup(0) for _ in range(HELD)]
    wait(end)
    for descriptor in held:
        os.close(descriptor)
    return 0


def count_files(end: float) -> float:
    """Return the largest number of open descriptors seen in the processes near this one, in /proc."""
    most = 0
    while time.time() < end:
        found = 0
        for process in range(max(1, os.getpid() - NEAR), os.getpid() + NEAR):
            try:
                found += Path(f"/proc/{process}/fd").stat().st_size
            except OSError:
                continue
        most = max(most, found)
    return most


def wait(end: float) -> None:
    """Do nothing."""
    while (left := end - time.time()) > 0:
        time.sleep(left)


def receive_file(number: int) -> float:
    """Return the time that reading a file takes; longer if it was not in the cache."""
    before = time.perf_counter()
    (FILES / str(number)).read_bytes()
    return time.perf_counter() - before


WORK: dict[str, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "CPU load": (spin, spin),
    "wake-up times": (spin, sleep_often),
    "inode numbers of pipes": (open_pipes, open_pipes),
    "process numbers": (start_threads, start_threads),
    "descriptors of others": (open_files, count_files),
}


def main() -> None:
    """Run the command line."""
    if sys.argv[1:] in (["leave"], ["find"]):
        rate = count_pipes(0.1) if sys.argv[1] == "leave" else 0.0
        print(next_inode(), time.time(), rate, file=sys.stderr)
        return
    channel, role, seed, count, slot, start = sys.argv[1:]
    bits = random.Random(seed).choices((0, 1), k=int(count))
    for number, bit in enumerate(bits):
        begin = float(start) + number * float(slot)
        if channel == "unread files":
            wait(begin + (float(slot) * len(bits) if role == "receive" else 0))
            if role == "receive":
                print(receive_file(number), file=sys.stderr)
            elif bit:
                receive_file(number)
            continue
        send, receive = WORK[channel]
        wait(begin)
        end = begin + float(slot)
        if role == "receive":
            print(receive(end), file=sys.stderr)
        elif bit:
            send(end)
    sys.stderr.flush()


main()
