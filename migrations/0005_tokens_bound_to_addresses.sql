-- outside a transaction
-- Users who verified their address before this column existed keep their passwords when they first sign in with a
-- provider. New rows start with 0, also those of programs that do not know the column.
do $$
begin
    if not exists (select 1 from pg_attribute where attrelid = 'appuser'::regclass and attname = 'passwordproved') then
        alter table appuser add column passwordproved flag not null default 1;
    end if;
end $$;
alter table appuser alter column passwordproved set default 0;
alter table onetimetoken add column if not exists email text;
create or replace function onetimetoken_bound() returns trigger language plpgsql as $$
begin
    new.email := lower(coalesce(new.email, (select email from appuser where appuserid = new.appuserid)));
    return new;
end $$;
create or replace function appuser_email_changed() returns trigger language plpgsql as $$
begin
    delete from onetimetoken where appuserid = new.appuserid;
    return null;
end $$;
create or replace trigger appuser_email_changed after update of email on appuser
    for each row when (lower(old.email) is distinct from lower(new.email)) execute function appuser_email_changed();
-- Its lock waits for every transaction that has inserted a token, so the updates below miss none.
create or replace trigger onetimetoken_bound before insert on onetimetoken
    for each row when (new.appuserid is not null) execute function onetimetoken_bound();
-- Tokens that were mailed to an address that was changed since.
delete from onetimetoken t using appuser u, auditlog a
    where t.email is null and u.appuserid = t.appuserid and a.clientid = u.clientid and a.appuserid = u.appuserid
      and a.event = 'email_changed' and a.createdon >= t.createdon;
update onetimetoken t set email = lower(u.email) from appuser u where u.appuserid = t.appuserid and t.email is null;
-- What earlier removals left: the profile addresses of erased people, and notes, lookups and feedback that name them.
delete from contactmeta m using usercontact c, person p
    where c.contactid = m.contactid and p.personid = c.personid and p.full_name = '' and p.personalcipher is null
      and p.businesscipher is null and p.phonecipher is null and c.name = 'Removed' and c.deleted = 1;
update bulkrow r set linkedinurl = '' from usercontact c, person p
    where c.contactid = r.contactid and p.personid = c.personid and p.full_name = '' and p.personalcipher is null
      and p.businesscipher is null and p.phonecipher is null and c.name = 'Removed' and r.linkedinurl <> '';
update usercontact c set linkedinurl = '' from person p
    where p.personid = c.personid and p.full_name = '' and p.personalcipher is null and p.businesscipher is null
      and p.phonecipher is null and c.name = 'Removed' and c.deleted = 1 and c.linkedinurl <> '';
update person p set profilekey = 'removed/' || personid
    where p.full_name = '' and p.personalcipher is null and p.businesscipher is null and p.phonecipher is null
      and p.profilekey not like 'removed/%'
      and (p.source = 'import' or exists (select 1 from usercontact c where c.personid = p.personid
                                          and c.name = 'Removed' and c.deleted = 1));
