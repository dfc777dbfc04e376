-- outside a transaction
-- Indexes of the search, on a table that may be large. Each statement may run again.
drop index concurrently if exists person_unindexed;
create index concurrently person_unindexed on person (personid) where searchable is null;
drop index concurrently if exists person_searchable;
create index concurrently person_searchable on person using gin (searchable);
drop index concurrently if exists person_name;
create index concurrently person_name on person (lower(full_name) collate "C", personid);
drop index concurrently if exists person_title;
create index concurrently person_title on person (lower(title) collate "C", personid);
drop index concurrently if exists person_company;
create index concurrently person_company on person (lower(company) collate "C", personid);
drop index concurrently if exists person_updatedon;
create index concurrently person_updatedon on person (updatedon, personid);
