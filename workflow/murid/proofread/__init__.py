"""What a human is asked, and the page that asks it."""
