-- outside a transaction
-- Keyed hashes of the addresses in a contact, which the job `indexpeople` fills in: a removal finds contacts by them and
-- decrypts none of the others. Each statement may run again.
alter table usercontact add column if not exists emailhashes bytea[];
create or replace function usercontact_unindexed() returns trigger language plpgsql as $$
begin
    new.emailhashes := null;
    return new;
end $$;
create or replace trigger usercontact_unindexed before update of emails on usercontact
    for each row when (old.emails is distinct from new.emails) execute function usercontact_unindexed();
drop index concurrently if exists usercontact_unindexed;
create index concurrently usercontact_unindexed on usercontact (contactid)
    where emails is not null and emailhashes is null;
drop index concurrently if exists usercontact_emailhashes;
create index concurrently usercontact_emailhashes on usercontact using gin (emailhashes);
drop index concurrently if exists person_hidden;
create index concurrently person_hidden on person (personid) where searchable = '' and full_name <> '';
