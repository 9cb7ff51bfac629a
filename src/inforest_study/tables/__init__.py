"""The study's tables: one module for each question, each a function from `Analysis` to tables."""

from inforest_study.tables.sections import Section, sections

__all__ = ["Section", "sections"]
