"""What animals did, by the second, the minute and the hour, and how sure each figure is.

Whoever wants to know how far a mouse walked at night wants no table of boxes. Figures come with an
interval: they are worked out for each of several whole assignments of names that the path model
takes for likely, with places drawn where nothing shows an animal.
"""
