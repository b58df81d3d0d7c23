"""What comes in: one file a format, and the verdict on every segment (Appendix A.1)."""
