-- Distribute the product over the machines of a Citus cluster by `clientid`. For a database after `tableapi init`, empty or
-- with data, by its owner, with psql, while no node runs: each line that ends in \gexec runs a call for each row of its query.
-- docs/guides/scaling.md says what was seen with it, and what is lost.

-- Where each table lies, and why. place: the group whose rows with the same key are on one machine; `reference`: a copy on
-- every machine; `local`: on the coordinator alone.
create temporary table placed (
    name text primary key, place text not null, key text, why text not null default 'rows of one client'
);
insert into placed (name, place, key) values
    ('addonpayment', 'client', 'clientid'),
    ('apiusage', 'client', 'clientid'),
    ('bulkjob', 'client', 'clientid'),
    ('bulkrow', 'client', 'clientid'),
    ('checkout', 'client', 'clientid'),
    ('clientplan', 'client', 'clientid'),
    ('contactfeedback', 'client', 'clientid'),
    ('contactlist', 'client', 'clientid'),
    ('contactlistitem', 'client', 'clientid'),
    ('contactmeta', 'client', 'clientid'),
    ('creditback', 'client', 'clientid'),
    ('creditledger', 'client', 'clientid'),
    ('creditnotice', 'client', 'clientid'),
    ('creditreturn', 'client', 'clientid'),
    ('feedbackdecision', 'client', 'clientid'),
    ('listmapping', 'client', 'clientid'),
    ('paymentsync', 'client', 'clientid'),
    ('planchange', 'client', 'clientid'),
    ('prorationquote', 'client', 'clientid'),
    ('reveal', 'client', 'clientid'),
    ('savedsearch', 'client', 'clientid'),
    ('searchseen', 'client', 'clientid'),
    ('searchuse', 'client', 'clientid'),
    ('transactionhistory', 'client', 'clientid'),
    ('upload', 'client', 'clientid'),
    ('usercontact', 'client', 'clientid'),
    ('usercontactlink', 'client', 'clientid'),
    ('usercredit', 'client', 'clientid'),
    ('usersubscription', 'client', 'clientid'),
    ('webhook', 'client', 'clientid'),
    ('webhookdelivery', 'client', 'clientid');
insert into placed values
    ('apikeys', 'client', 'clientid', 'written by each call; nodes remember the client of a key'),
    ('idempotency', 'caller', 'principal', 'found by the caller'),
    ('subscriptionplan', 'reference', null, 'the same for all'),
    ('planprice', 'reference', null, 'the same for all'),
    ('client', 'reference', null, 'every row of a client refers to it'),
    ('staff', 'reference', null, 'read while a user is added'),
    ('appuser', 'reference', null, 'found by address before the client is known'),
    ('usersession', 'local', null, 'found by the hash of a token; a copied table is locked whole by each sign-in'),
    ('staffsession', 'local', null, 'the same'),
    ('oauthtoken', 'local', null, 'the same'),
    ('onetimetoken', 'reference', null, 'found by its hash'),
    ('formeraddress', 'reference', null, 'read while a user is added'),
    ('person', 'reference', null, 'joined with rows of every client'),
    ('personalias', 'reference', null, 'joined with person'),
    ('auditlog', 'local', null, 'rows of staff and of sign-ins belong to no client, and the key of a row is never null'),
    ('oauthclient', 'local', null, 'programs that any user may permit'),
    ('company', 'local', null, 'read with the directory by searches'),
    ('dropbatch', 'local', null, 'requests of a platform, which belong to no client'),
    ('dropitem', 'local', null, 'the same'),
    ('paymentcatchup', 'local', null, 'one row'),
    ('paymentreversal', 'local', null, 'looked up by the provider''s id'),
    ('personchange', 'local', null, 'bitmaps of terms'),
    ('personindex', 'local', null, 'the same'),
    ('personterm', 'local', null, 'the same'),
    ('reservedkey', 'local', null, 'looked up by its hash'),
    ('signinfailure', 'local', null, 'belongs to an address, not to a client'),
    ('socialaccount', 'local', null, 'looked up by the provider''s id'),
    ('stafftoken', 'local', null, 'looked up by its hash'),
    ('stripeevent', 'local', null, 'looked up by the provider''s id'),
    ('suppression', 'local', null, 'holds for all clients');

-- Unique over one client instead of all; `tableapi run checkledger` and the provider's own ids stand in for it.
-- weaker addonpayment_pkey: ids are the provider's, which gives each once
-- weaker apikeys_keyhash_key: hashes of 16 random characters
-- weaker checkout_pkey: ids are the provider's, which gives each once
-- weaker contactfeedback_appuserid_personid_type_infohash_key: a user belongs to one client
-- weaker contactlistitem_listid_personid_key: a list belongs to one client
-- weaker transactionhistory_invoicenumber_key: numbers come from one sequence
-- weaker transactionhistory_providerid_key: ids are the provider's, which gives each once
-- weaker upload_path_key: paths hold the random id of the file
-- weaker usersubscription_stripe_subid_key: ids are the provider's, which gives each once

-- References that are not checked: an insert into a local table would lock shards on every machine, and two could deadlock.
-- dropped auditlog_appuserid_fkey: written by each reveal
-- dropped auditlog_clientid_fkey: written by each reveal
-- dropped usersession_appuserid_fkey: written by each sign-in
-- dropped usersession_clientid_fkey: written by each sign-in
-- dropped staffsession_staffid_fkey: written by each sign-in of staff
-- dropped staffsession_viewing_fkey: written by each view of staff

-- Statements that Citus refuses, by the place where they stand (tests/helpers/citus.py has the rules).
-- refused scripts/jobs/repairprofiles.py:_DELETE: deletes a copy unless rows of clients refer to it; the job does not run

-- A key has to hold the column of distribution, and so has a reference between distributed tables.
create temporary table reference as
select f.conname, h.relname as name, t.relname as target, f.confdeltype,
       (select string_agg(quote_ident(attname), ', ' order by n) from unnest(f.conkey) with ordinality k (attnum, n)
        join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.attnum) as columns,
       (select string_agg(quote_ident(attname), ', ' order by n) from unnest(f.confkey) with ordinality k (attnum, n)
        join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.attnum) as keys,
       here.place = there.place as together
from pg_constraint f join pg_class h on h.oid = f.conrelid join pg_class t on t.oid = f.confrelid
join placed here on here.name = h.relname
join placed there on there.name = t.relname
where f.contype = 'f' and (there.key is not null
      or there.place = 'reference' and here.name in ('auditlog', 'usersession', 'staffsession'));

do $$
declare
    one record;
begin
    for one in select * from reference loop
        execute format('alter table %I drop constraint %I', one.name, one.conname);
    end loop;
    for one in
        select p.name, p.key, c.conname, i.relname, x.indisprimary, pg_get_indexdef(x.indexrelid) as definition,
               (select string_agg(quote_ident(attname), ', ' order by n) from unnest(x.indkey::smallint[]) with ordinality
                k (attnum, n) join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.attnum) as columns
        from placed p join pg_index x on x.indrelid = p.name::regclass and x.indisunique join pg_class i on i.oid = x.indexrelid
        left join pg_constraint c on c.conindid = x.indexrelid and c.contype in ('p', 'u')
        where p.key is not null and not exists (
            select from pg_attribute a where a.attrelid = p.name::regclass and a.attname = p.key and a.attnum = any (x.indkey))
    loop
        if one.conname is null then  -- a unique index without a constraint
            execute format('drop index %I', one.relname);
            execute replace(one.definition, ' btree (', format(' btree (%I, ', one.key));
            continue;
        end if;
        execute format('alter table %I drop constraint %I, add constraint %I %s (%I, %s)', one.name, one.conname,
                       one.conname, case when one.indisprimary then 'primary key' else 'unique' end, one.key, one.columns);
    end loop;
    for one in select * from reference where together loop
        execute format('alter table %I add constraint %I foreign key (%s) references %I (%s)%s', one.name, one.conname,
                       case when one.columns like 'clientid%' then one.columns else 'clientid, ' || one.columns end,
                       one.target,
                       case when one.keys like 'clientid%' then one.keys else 'clientid, ' || one.keys end,
                       case one.confdeltype when 'c' then ' on delete cascade' when 'n' then ' on delete set null' else '' end);
    end loop;
end $$;

-- with Citus
\set ON_ERROR_STOP on
create extension if not exists citus;

-- Triggers that send a notification: a write on several machines cannot be prepared after NOTIFY, and on one it is heard
-- there only. The program notifies instead, after its commit.
drop trigger staff_changed on staff;
drop trigger appuser_changed on appuser;
drop trigger client_changed on client;
-- Those of change streams: a worker has no outbox.
select format('drop trigger %I on %I', tgname, relname) from pg_trigger join pg_class c on c.oid = tgrelid
    where starts_with(tgname::text, 'tableapi_changes_') \gexec
-- Triggers that touch another table than that of their row, which a trigger of a shard may not.
drop trigger usersession_of_agent_revoked on usersession;  -- the program ends what an agent made
drop trigger appuser_email_changed on appuser;  -- links sent to an earlier address are checked when they are used
-- Bitmaps of terms: a distributed directory is searched by the index of each machine.
drop trigger person_inserted on person;
drop trigger person_updated on person;
drop trigger person_deleted on person;

-- Copying rows fires the triggers of inserts, which would tell webhooks of what happened long ago: they come back at the end.
create temporary table trigger_kept as
select tgname, relname, pg_get_triggerdef(g.oid) as definition
from pg_trigger g join pg_class c on c.oid = g.tgrelid join placed on name = relname
where not tgisinternal and place <> 'local' and c.relnamespace = 'public'::regnamespace;
select format('drop trigger %I on %I', tgname, relname) from trigger_kept \gexec

set citus.enable_unsafe_triggers = on;
-- Else a local table that refers to a copy becomes one of Citus, its name that of a shard, and its numbers begin at 1 again.
set citus.enable_local_reference_table_foreign_keys = off;
set citus.multi_shard_modify_mode = sequential;
-- Copies first, then tables in the order of their references.
create temporary table ordered as
with recursive needs (name, depth) as (
    select name, 0 from placed where place <> 'local'
    union
    select r.name, n.depth + 1 from needs n join pg_constraint f on f.confrelid = n.name::regclass and f.contype = 'f'
    join placed r on r.name::regclass = f.conrelid and r.place <> 'local' and f.conrelid <> f.confrelid
    where n.depth < 20)
select name, max(depth) as depth from needs group by name;
select format('select create_reference_table(%L)', name) from placed join ordered using (name)
    where place = 'reference' order by depth, name \gexec
select format('select create_distributed_table(%L, %L, colocate_with => %L)', name, key,
              case when row_number() over (partition by place order by depth, name) = 1 then 'none'
                   else first_value(name) over (partition by place order by depth, name) end)
    from placed join ordered using (name) where key is not null order by place, depth, name \gexec
select definition from trigger_kept order by relname, tgname \gexec
-- The catalog of each connection lists shards otherwise, which takes seconds.
select format('alter database %I set citus.override_table_visibility = off', current_database()) \gexec
select format('alter database %I set citus.multi_shard_modify_mode = sequential', current_database()) \gexec
