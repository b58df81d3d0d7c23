"""What the site is made with; no stage needs it."""
