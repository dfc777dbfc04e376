-- outside a transaction
-- A reveal that began before 0002 replaced its function still commits a link without the new columns.
-- after older transactions
-- Five thousand contacts at a time, so that nobody waits long for a row.
do $$
declare
    done bigint := 0;
    upto bigint;
begin
    loop
        select max(contactid) into upto
        from (select contactid from usercontact where contactid > done order by contactid limit 5000) page;
        exit when upto is null;
        update usercontactlink l set listedon = c.createdon, searchname = lower(c.name) from usercontact c
        where c.contactid = l.contactid and c.contactid > done and c.contactid <= upto and l.listedon is null;
        commit;
        done := upto;
    end loop;
end $$;
-- A valid check spares `set not null` the look at every row under its lock.
alter table usercontactlink drop constraint if exists filled;
alter table usercontactlink add constraint filled check (listedon is not null and searchname is not null) not valid;
alter table usercontactlink validate constraint filled;
alter table usercontactlink alter column listedon set not null, alter column searchname set not null;
alter table usercontactlink drop constraint filled;
drop index concurrently if exists usercontactlink_list;
create index concurrently usercontactlink_list on usercontactlink (clientid, appuserid, listedon desc, contactid)
    include (searchname);
vacuum (analyze) usercontactlink;
-- The client in front, as everywhere; the new one is there before the old one goes.
drop index concurrently if exists usercontact_revealedby_new;
create index concurrently usercontact_revealedby_new on usercontact (clientid, revealedby, createdon desc, contactid);
drop index concurrently if exists usercontact_revealedby;
alter index usercontact_revealedby_new rename to usercontact_revealedby;
drop index concurrently if exists usercontact_dialrevealedby_new;
create index concurrently usercontact_dialrevealedby_new
    on usercontact (clientid, dialrevealedby, createdon desc, contactid);
drop index concurrently if exists usercontact_dialrevealedby;
alter index usercontact_dialrevealedby_new rename to usercontact_dialrevealedby;
-- Searches no longer read this one, and nothing else needed the extensions.
drop index concurrently if exists usercontact_name;
drop extension if exists pg_trgm;
drop extension if exists btree_gin;
