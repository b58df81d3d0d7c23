"""What is fitted, as data: the models, how they are kept, and what they were made for."""
