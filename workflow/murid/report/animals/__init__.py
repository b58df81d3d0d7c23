"""The pages of the report that are of animals: one a cage, from what the summaries tell."""
