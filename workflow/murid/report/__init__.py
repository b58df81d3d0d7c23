"""Report: metrics as files, and a page that explains them to whoever has to trust the result."""
