-- The owner and the database of the product; once, as the superuser at haproxy:5000, with `psql --set password=...`.
create role app login password :'password';
-- A pooler in transaction mode cannot pass these for a connection, so they belong to the user.
alter role app set statement_timeout = '5s';
alter role app set lock_timeout = '3s';
alter role app set idle_in_transaction_session_timeout = '15s';
alter role app set jit = off;
-- Lets a node see the timeline of a replica, so that one that was ahead of the new primary is recognised at once.
grant pg_read_all_stats to app;
create database leads owner app;
