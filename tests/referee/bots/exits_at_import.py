import sys

print("no, thank you", file=sys.stderr)
sys.exit(7)
