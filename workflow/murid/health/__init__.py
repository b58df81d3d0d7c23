"""Health of the antenna system: antennas and tags that fall silent, hours and frames that miss."""
