"""What features say about y beyond the others: tests with an error rate."""
