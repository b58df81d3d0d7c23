"""The demo archive: cages of mice that never lived, filmed and tracked as on a real rig.

Everything follows from the seed. The three-dimensional cage makes what is hard about real data come
out by itself: mice hide each other and hide behind the hopper and in the tunnel, and the antenna
trace is late, coarse, and wrong where they huddle or climb.
"""
