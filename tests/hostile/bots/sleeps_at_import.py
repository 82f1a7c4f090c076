"""Sleeps instead of dialling."""

import time

time.sleep(3600)
