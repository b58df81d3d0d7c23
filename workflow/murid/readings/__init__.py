"""What antenna systems log, events with clock times, and the trace that is made of it."""
