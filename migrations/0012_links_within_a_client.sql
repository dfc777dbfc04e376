-- outside a transaction
-- A link belongs to the client of its contact. PostgreSQL reads the same from the foreign key: a join of the links and the
-- contacts of a client has as many rows as there are links, where it expected a few and read all of them. May run again.
alter table usercontactlink drop constraint if exists usercontactlink_clientid_contactid_fkey;
alter table usercontact drop constraint if exists usercontact_clientid_contactid_key;
drop index concurrently if exists usercontact_clientid_contactid_key;
create unique index concurrently usercontact_clientid_contactid_key on usercontact (clientid, contactid);
alter table usercontact
    add constraint usercontact_clientid_contactid_key unique using index usercontact_clientid_contactid_key;

-- Both tables at once, in the order of a reveal. Readers lock them in either order: the wait ends before PostgreSQL looks
-- for deadlocks, which would end one of theirs, and is begun again.
do $$ begin
    perform set_config('lock_timeout', '500ms', true);
    lock table usercontact, usercontactlink in share row exclusive mode;
    alter table usercontactlink add constraint usercontactlink_clientid_contactid_fkey
        foreign key (clientid, contactid) references usercontact (clientid, contactid) on delete cascade not valid;
end $$;
alter table usercontactlink validate constraint usercontactlink_clientid_contactid_fkey;
do $$ begin
    perform set_config('lock_timeout', '500ms', true);
    lock table usercontact, usercontactlink in access exclusive mode;
    alter table usercontactlink drop constraint if exists usercontactlink_contactid_fkey;
end $$;
