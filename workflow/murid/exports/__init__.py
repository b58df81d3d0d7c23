"""Names as other tools read them: a file a format, each of which is one module here."""
