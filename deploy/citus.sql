-- Distribute the product over the machines of a Citus cluster by `clientid`: every row of a client is on one machine, and what
-- all clients share is on each. For an empty database after `tableapi init`, by its owner. Tried up to the line "with Citus";
-- the rest needs the extension. docs/guides/scaling.md says what the program needs beside it.

-- Where each table goes. `spread` null: a copy on every machine.
create temporary table placed (name regclass primary key, spread text);
insert into placed
select name::regclass, 'clientid' from unnest(array[
    'addonpayment', 'apiusage', 'bulkjob', 'bulkrow', 'checkout', 'clientplan', 'contactfeedback', 'contactlist',
    'contactlistitem', 'contactmeta', 'creditback', 'creditledger', 'creditnotice', 'creditreturn', 'feedbackdecision',
    'listmapping', 'paymentsync', 'planchange', 'prorationquote', 'reveal', 'savedsearch', 'searchseen', 'searchuse', 'transactionhistory',
    'upload', 'usercontact', 'usercontactlink', 'usercredit', 'usersubscription', 'webhook', 'webhookdelivery']) name
union all
-- Looked up before the client is known.
select name::regclass, spread from (values ('usersession', 'tokenhash'), ('apikeys', 'keyhash'), ('person', 'profilekey'),
    ('personalias', 'profilekey'), ('idempotency', 'principal')) own (name, spread)
union all
select name::regclass, null from unnest(array['subscriptionplan', 'planprice', 'client', 'appuser', 'staff']) name;

-- local auditlog: rows of staff and of sign-ins belong to no client, and a distribution column is never null
-- local company: joined with the directory by searches, which run over all machines
-- local dropbatch: requests of a platform, which belong to no client
-- local dropitem: requests of a platform, which belong to no client
-- local formeraddress: looked up by its hash
-- local oauthclient: programs that any user may permit
-- local oauthtoken: looked up by its hash, with its session
-- local onetimetoken: looked up by its hash
-- local paymentcatchup: one row
-- local paymentreversal: looked up by the provider's id
-- local personchange: bitmaps of terms, which a distributed directory does without
-- local personindex: the same
-- local personterm: the same
-- local reservedkey: looked up by its hash
-- local signinfailure: belongs to an address, not to a client
-- local socialaccount: looked up by the provider's id
-- local staffsession: looked up by its hash
-- local stafftoken: looked up by its hash
-- local stripeevent: looked up by the provider's id
-- local suppression: holds for all clients

-- Unique over one client instead of all; `tableapi run checkledger` and the provider's own ids stand in for it.
-- weaker addonpayment_pkey: ids are the provider's, which gives each once
-- weaker checkout_pkey: ids are the provider's, which gives each once
-- weaker contactfeedback_appuserid_personid_type_infohash_key: a user belongs to one client
-- weaker contactlistitem_listid_personid_key: a list belongs to one client
-- weaker transactionhistory_invoicenumber_key: numbers come from one sequence
-- weaker transactionhistory_providerid_key: ids are the provider's, which gives each once
-- weaker upload_path_key: paths hold the random id of the file
-- weaker usersubscription_stripe_subid_key: ids are the provider's, which gives each once

-- References that no longer can be checked, because both sides lie on different machines.
-- dropped apiusage_apikey_fkey: keys are found by their hash
-- dropped contactfeedback_personid_fkey: the directory is found by profile
-- dropped contactlistitem_personid_fkey: the directory is found by profile
-- dropped creditback_personid_fkey: the directory is found by profile
-- dropped oauthtoken_usersessionid_fkey: sessions are found by their hash
-- dropped personalias_personid_fkey: an alias lies where its own profile key says
-- dropped reveal_keyid_fkey: keys are found by their hash
-- dropped reveal_personid_fkey: the directory is found by profile
-- dropped usercontact_personid_fkey: the directory is found by profile

-- Statements that are not bound to one client, by the place where they stand; they run on all machines.
-- across product/accounts/made.py:_OF_SESSIONS: a nightly job over all clients
-- across product/accounts/sessions.py:_ACCOUNT: a session, with the account that it finds; an answer of several machines
-- across product/api_keys.py:_FIND: an API key, with the plan of the account that it finds
-- across product/billing/addons.py:settle: a payment, reported by the provider's id
-- across product/billing/checkout.py:settle: a payment page, reported by the provider's id
-- across product/billing/reversals.py: a refund, reported by the provider's id of the payment
-- across product/bulk/job.py:_CLAIM: a queued job has its own id alone, and finds its client by it, once
-- across product/credits/creditback.py:_AGREED: votes of several clients about one value
-- across product/desk/clients.py:_FIND: staff look for a client among all of them
-- across product/people/drop.py:_CONTACTS: a nightly job over the contacts of all clients
-- across product/people/erasure.py: a person is erased at all clients
-- across scripts/jobs/repairprofiles.py: a person gets another address at all clients
-- across product/people/indexing.py: a job over the contacts of all clients
-- across product/webhooks.py:_CLAIM: a job over the deliveries of all clients
-- across scripts/desk/feedback.py: staff decide about the votes of all clients
-- across scripts/desk/mail.py:_PAID: staff name an invoice, which finds its client
-- across scripts/jobs/catchup.py:_OVERDUE: a job over all clients
-- across scripts/jobs/checkledger.py: a nightly job over all clients
-- across scripts/jobs/erasepeople.py: a person is erased at all clients
-- across scripts/jobs/renewfree.py: a job over all clients
-- across scripts/jobs/stripeevent.py:_payment: a payment, reported by the provider's id
-- across scripts/jobs/tellcredits.py: a job over all clients
-- across scripts/jobs/tidyup.py: a nightly job over all clients

-- Random keys do not collide, and a rotated one is looked up on all machines.
drop index apikeys_oldkeyhash;
create index apikeys_oldkeyhash on apikeys (oldkeyhash) where oldkeyhash is not null;

-- A key has to hold the column of distribution, and so has a reference between distributed tables.
create temporary table reference as
select f.conname, f.conrelid::regclass as name, f.confrelid::regclass as target, here.spread, f.confdeltype,
       (select string_agg(quote_ident(attname), ', ' order by n) from unnest(f.conkey) with ordinality k (attnum, n)
        join pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.attnum) as columns,
       (select string_agg(quote_ident(attname), ', ' order by n) from unnest(f.confkey) with ordinality k (attnum, n)
        join pg_attribute a on a.attrelid = f.confrelid and a.attnum = k.attnum) as keys,
       coalesce(here.spread = 'clientid' and there.spread = 'clientid', false) as together
from pg_constraint f
left join placed here on here.name = f.conrelid
join placed there on there.name = f.confrelid and there.spread is not null
where f.contype = 'f';

do $$
declare
    one record;
begin
    for one in select * from reference loop
        execute format('alter table %s drop constraint %I', one.name, one.conname);
    end loop;
    for one in
        select p.name, p.spread, c.conname, i.relname, x.indisprimary, pg_get_indexdef(x.indexrelid) as definition,
               (select string_agg(quote_ident(attname), ', ' order by n) from unnest(x.indkey::smallint[]) with ordinality
                k (attnum, n) join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.attnum) as columns
        from placed p join pg_index x on x.indrelid = p.name and x.indisunique join pg_class i on i.oid = x.indexrelid
        left join pg_constraint c on c.conindid = x.indexrelid and c.contype in ('p', 'u')
        where p.spread is not null and not exists (
            select from pg_attribute a where a.attrelid = p.name and a.attname = p.spread and a.attnum = any (x.indkey))
    loop
        assert one.conname is not null, format('unique index %s of %s has no column of distribution', one.relname, one.name);
        execute format('alter table %s drop constraint %I, add constraint %I %s (%I, %s)', one.name, one.conname,
                       one.conname, case when one.indisprimary then 'primary key' else 'unique' end, one.spread, one.columns);
    end loop;
    for one in select * from reference where together loop
        execute format('alter table %s add constraint %I foreign key (%s) references %s (%s)%s', one.name, one.conname,
                       case when one.columns like 'clientid%' then one.columns else 'clientid, ' || one.columns end,
                       one.target,
                       case when one.keys like 'clientid%' then one.keys else 'clientid, ' || one.keys end,
                       case one.confdeltype when 'c' then ' on delete cascade' when 'n' then ' on delete set null' else '' end);
    end loop;
end $$;

-- with Citus

create extension if not exists citus;
-- A distributed table has no triggers with transition tables: without bitmaps, searches use the index of each machine.
drop trigger person_inserted on person;
drop trigger person_updated on person;
drop trigger person_deleted on person;
-- What an agent made is on other machines than its session: the nightly job ends it.
drop trigger usersession_of_agent_revoked on usersession;

-- The triggers only touch rows of the same client, or send a notification.
set citus.enable_unsafe_triggers = on;
select create_reference_table(name::text) from placed where spread is null
    order by array_position(array['subscriptionplan', 'planprice', 'client', 'appuser', 'staff'], name::text);
select create_distributed_table('usercontact', 'clientid');
select create_distributed_table(name::text, 'clientid', colocate_with => 'usercontact')
    from placed where spread = 'clientid' and name <> 'usercontact'::regclass;
select create_distributed_table(name::text, spread, colocate_with => 'none') from placed where spread <> 'clientid';
-- A reveal stays one round trip and one transaction on one machine.
select create_distributed_function(oid::regprocedure, 'p_clientid', colocate_with => 'usercontact')
    from pg_proc where proname = 'reveal_contact';
