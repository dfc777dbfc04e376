"""The request of a table, with the stages that its options name."""
