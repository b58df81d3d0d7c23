"""Drawing whole assignments, so that what rests on many names at once can tell how sure it is."""
