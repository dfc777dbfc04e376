-- outside a transaction
-- A user belongs to one client, which PostgreSQL cannot tell from the statistics of the two columns. Both statements lock
-- the table against changes of its definition only, and may run again.
create statistics if not exists usercontactlink_user (dependencies) on clientid, appuserid from usercontactlink;
analyze usercontactlink;
