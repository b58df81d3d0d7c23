"""The one error that is meant for the user: bad input, told so that it can be mended."""


class InputError(Exception):
    """Something that the user gave cannot be used.

    Parameters
    ----------
    file
        The file (or setting) at fault.
    found
        What was found there.
    expected
        What was expected instead.
    where
        The row, frame, key or column, if it can be named.
    remedy
        What to do about it, if more can be said than "give what was expected".
    """

    def __init__(
        self,
        file: object,
        found: str,
        expected: str,
        *,
        where: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.file = str(file)
        self.where = where
        self.found = found
        self.expected = expected
        self.remedy = remedy
        place = f"{file}, {where}" if where else f"{file}"
        text = f"{place}: found {found}; expected {expected}."
        if remedy:
            text += f" {remedy}"
        super().__init__(text)
