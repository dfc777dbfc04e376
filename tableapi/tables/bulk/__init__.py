"""Import whole CSV files with COPY."""
