"""The desk of staff: its accounts, its audit, and what its calls read and change."""
