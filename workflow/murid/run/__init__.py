"""How a run is planned, kept, guarded and told: what the rules look things up in."""
