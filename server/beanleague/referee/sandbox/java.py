"""How a JVM fits into the sandbox: options that the program `java` reads in `JDK_JAVA_OPTIONS`, before a bot's own."""

from __future__ import annotations

from beanleague.referee.messages import Limits

_HEAP_SHARE = 2  # of the memory, the rest being classes, compiled code, threads and the JVM itself


def java_options(limits: Limits) -> tuple[str, ...]:
    """Return options with which a JVM plays within `limits`."""
    return (
        "-XX:+UseSerialGC",  # others have a thread for each CPU
        f"-Xmx{limits.memory_bytes // _HEAP_SHARE >> 20}m",
        "-XX:CompressedClassSpaceSize=64m",  # as address space: 1 GiB is usual, which is all a bot has
        "-XX:ReservedCodeCacheSize=64m",
        "-XX:-UsePerfData",  # statistics in a file, for other processes
    )
