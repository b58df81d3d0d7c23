"""What antenna systems log, events with clock times, and what murid makes of it: a trace a segment."""
