"""Tests of whole columns, their adjustment, and the filter made of them."""
