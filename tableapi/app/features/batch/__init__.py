"""The endpoint of batches, their steps, and the references between these."""
