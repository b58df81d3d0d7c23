"""The colours of all figures: Okabe and Ito's, told apart by colour-blind readers too, and more.

Methods bring their own, which are of these (:attr:`murid.identify.methods.Method.colour`).
"""

BLUE, ORANGE, GREEN, VERMILION = "#0072B2", "#E69F00", "#009E73", "#D55E00"
SKY, PURPLE, GREY, WINE = "#56B4E9", "#CC79A7", "#7F7F7F", "#661100"
TEAL, OLIVE, YELLOW = "#44AA99", "#999933", "#F0E442"

COLOURS = (BLUE, ORANGE, GREEN, VERMILION, SKY, PURPLE, GREY, WINE, TEAL, OLIVE, YELLOW)
"""In the order in which they are given to what has none of its own; the palest last."""
LINES = "#888888"
"""Of lines that help the eye: seen on light and on dark pages."""
PALE = "#B9BEC4"
"""Of what is of no account."""
