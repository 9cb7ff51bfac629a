"""Tables in files: columns of all kinds in, features and a target out."""

from inforest.io.tables.table import Table, read_table

__all__ = ["Table", "read_table"]
