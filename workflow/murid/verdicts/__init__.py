"""What became of each segment, for whoever runs the pipeline without its report."""
