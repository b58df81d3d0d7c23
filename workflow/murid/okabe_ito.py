"""The colours of all figures and pictures: Okabe and Ito's, told apart by colour-blind readers too.

The colour of a method is one of these, and stands in the method's own module
(:attr:`murid.identify.registry.Method.colour`); the colours of animals are :data:`ON_FOOTAGE`.
"""

BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, GREY, WINE = "#56B4E9", "#CC79A7", "#7F7F7F", "#661100"
TEAL, OLIVE, YELLOW = "#44AA99", "#999933", "#F0E442"

COLOURS = (BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE, GREY, WINE, TEAL, OLIVE, YELLOW)
"""In the order in which they are given to what has none of its own; the palest last."""
MARKS, DASHES = ("o", "s", "^", "D"), ("-", "--", ":", "-.")
"""Of dots and lines: where there are more of them than colours, each next round has the next."""
LINES = "#888888"
"""Of lines that help the eye: seen on light and on dark pages."""
PALE = "#B9BEC4"
"""Of what is of no account."""

RED, LEAF, AZURE = (230, 97, 0), (0, 178, 130), (86, 160, 255)
LEMON, PINK, WHITE = (240, 228, 66), (216, 130, 180), (255, 255, 255)
ON_FOOTAGE = (RED, LEAF, AZURE, LEMON, PINK, WHITE)
"""Red, green and blue, 0 to 255, of animals in pictures: they show on dark grey."""
TAGS = {"R": RED, "G": LEAF, "B": AZURE}
"""Those of animals that are named by the colour of their tag."""
