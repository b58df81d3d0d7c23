"""What antennas read: logs of events with clock times, whatever system wrote them."""
