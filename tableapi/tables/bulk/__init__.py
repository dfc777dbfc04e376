"""Imports of whole CSV files by COPY."""
