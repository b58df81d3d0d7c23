"""What got worse than its limits, for whoever looks after the cages: by cage and day."""
