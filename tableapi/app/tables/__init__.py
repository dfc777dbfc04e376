"""The request of a table: who decides what, and the stages that its options name."""
