"""What a table must be: columns, their types, units and limits."""

import functools
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pyarrow as pa

from murid.schemas.words import BOX

TEXT, TEXTS, TRUTH = pa.string(), pa.list_(pa.string()), pa.bool_()
INT8, INT16, INT32, INT64 = pa.int8(), pa.int16(), pa.int32(), pa.int64()
FLOAT, DOUBLE = pa.float32(), pa.float64()
MOMENT = pa.timestamp("us", "UTC")
REPEATED = pa.dictionary(pa.int32(), TEXT)
"""Text of which there are few values in millions of rows."""


@dataclass(frozen=True)
class Column:
    """What a column of a table must be.

    Attributes
    ----------
    name, type
        As in the schema.
    unit
        Unit and meaning, kept as metadata of the field; by default the values that it may take.
    nullable
        Whether a value may be missing.
    choices
        All values that it may take, of a column of text.
    least, most
        Its smallest and largest value, of a column of whole numbers; the latter is by default the
        largest that there is room for.
    share
        Whether values are from 0 to 1.
    optional
        Whether a table may do without it.
    """

    name: str
    type: pa.DataType
    unit: str = ""
    nullable: bool = False
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None
    share: bool = False
    optional: bool = False

    @property
    def field(self) -> pa.Field:
        """The field of the schema."""
        unit = self.unit or ", ".join(self.choices)
        return pa.field(self.name, self.type, self.nullable, {"unit": unit})

    @property
    def range(self) -> tuple[float, float] | None:
        """The smallest and the largest value, if there are limits."""
        if self.least is not None:
            return self.least, self.most or 2 ** (self.type.bit_width - 1) - 1
        return (0.0, 1.0) if self.share else None


@dataclass(frozen=True)
class Contract:
    """What a table must be: its columns, and those of them that tell its rows apart."""

    key: tuple[str, ...]
    columns: tuple[Column, ...]
    boxless: tuple[str, str] | None = None
    """Column and value of the rows that have no box, where all others must have one."""

    @functools.cached_property
    def schema(self) -> pa.Schema:
        """Names, types and units of the columns that every such table has."""
        return self.schema_of(())

    def schema_of(self, names: Collection[str]) -> pa.Schema:
        """Return the schema of a table with columns of these names, further ones left out."""
        return pa.schema(
            [each.field for each in self.columns if not each.optional or each.name in names]
        )

    @property
    def boxes(self) -> bool:
        """Whether rows have boxes."""
        return set(BOX) <= set(self.schema.names)

    @property
    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """All values that columns of text may take, by column."""
        return {column.name: column.choices for column in self.columns if column.choices}

    @property
    def ranges(self) -> Mapping[str, tuple[float, float]]:
        """The smallest and the largest value, by column."""
        return {column.name: limits for column in self.columns if (limits := column.range)}


def contract(
    key: tuple[str, ...], *columns: Column, boxless: tuple[str, str] | None = None
) -> Contract:
    """Return the contract of a table with these columns."""
    return Contract(key, columns, boxless)
