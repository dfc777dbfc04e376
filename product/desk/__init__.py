"""The desk for staff: accounts, audit, and the reads and changes of its calls."""
