"""Finding animals and tunnel in video: the detector trained, run, filtered and assessed."""
