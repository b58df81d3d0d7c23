"""Pictures and clips of identified animals, for a person to check."""
