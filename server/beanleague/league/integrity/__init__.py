"""Whether bots play into each other's hands: what they gave each other, compared with what the others do."""
