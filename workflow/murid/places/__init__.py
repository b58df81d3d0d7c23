"""Where animals are while no box shows them: inferred from before, after, and their antennas."""
