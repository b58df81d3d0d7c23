"""Which days tell of a clock."""

DAYS_BEFORE = 3
"""Days before a day whose segments tell of its clock, too: a drift joins what one day cannot."""
