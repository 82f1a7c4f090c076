"""Records of matches: JSON form, and verification by replay."""
