"""Settings for the embedded PostgreSQL and for the memory of its processes."""

from __future__ import annotations

# Statements and error details are not logged, because they contain personal data.
SERVER = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "200",
    "shared_buffers": "256MB",
    "max_wal_size": "2GB",
    "maintenance_work_mem": "128MB",
    "random_page_cost": "1.1",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
}
NOT_DURABLE = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "shared_buffers": "64MB"}

# By default glibc returns memory to the system as soon as 128 kB are free and requests it again for the next large
# response, which costs a quarter of the CPU time of a list of 300 kB. With these values each process keeps up to 16 MB.
MALLOC = {"MALLOC_TRIM_THRESHOLD_": "16777216", "MALLOC_MMAP_THRESHOLD_": "8388608", "MALLOC_TOP_PAD_": "1048576"}
