"""Tables in files: columns of numbers, words and gaps in, numbers to rank and a target out."""

from inforest.io.tables.table import Table, read_table

__all__ = ["Table", "read_table"]
