"""A report on which features matter: its content as plain values, and one HTML page of it."""

from inforest.report.content import Content
from inforest.report.report import Report, make_report, write_report

__all__ = ["Content", "Report", "make_report", "write_report"]
