"""Takes memory that the kernel holds for it, in files and folders without contents."""

import os
import time
from pathlib import Path

from attacker import attempt, play

_WANTED = 500_000


def attack() -> object:
    for number in range(_WANTED):
        os.close(os.open(f"/tmp/{number:0200}", os.O_CREAT | os.O_WRONLY, 0o600))
    time.sleep(1.0)
    return f"{sum(1 for _ in Path('/tmp').iterdir())} files"


attempt(attack)
play()
