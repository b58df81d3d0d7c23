"""Review: where it is uncertain who is who, for a human to look at."""
