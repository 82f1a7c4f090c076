"""Takes memory of its own."""

import time

held = [bytearray(b"x") * 2**20 for _ in range(600)]
time.sleep(3600)
