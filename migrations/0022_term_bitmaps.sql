-- outside a transaction
-- Bitmaps of the terms of a large directory, which the job `indexpeople` makes. Each statement may run again.
create table if not exists personterm (
    term   text collate "C" not null,
    block  integer not null,
    people bytea not null,
    primary key (term, block)
);
alter table personterm alter people set storage external;
create table if not exists personindex (
    one     boolean primary key default true check (one),
    version uuid not null,
    ready   boolean not null
);
create table if not exists personchange (
    block  integer not null,
    people integer not null
);
create index if not exists personchange_block on personchange (block);
create or replace function person_changed() returns trigger language plpgsql as $$
begin
    insert into personchange (block, people) select personid >> 18, count(*) from changed group by 1;
    return null;
end $$;
create or replace trigger person_inserted after insert on person referencing new table as changed
    for each statement execute function person_changed();
create or replace trigger person_updated after update on person referencing new table as changed
    for each statement execute function person_changed();
create or replace trigger person_deleted after delete on person referencing old table as changed
    for each statement execute function person_changed();
-- The same indexes, with the column beside its expression, so that PostgreSQL can read them alone.
drop index concurrently if exists person_name_new;
create index concurrently person_name_new on person (lower(full_name) collate "C", personid) include (full_name);
drop index concurrently if exists person_name;
alter index if exists person_name_new rename to person_name;
drop index concurrently if exists person_title_new;
create index concurrently person_title_new on person (lower(title) collate "C", personid) include (title);
drop index concurrently if exists person_title;
alter index if exists person_title_new rename to person_title;
drop index concurrently if exists person_company_new;
create index concurrently person_company_new on person (lower(company) collate "C", personid) include (company);
drop index concurrently if exists person_company;
alter index if exists person_company_new rename to person_company;
-- Titles of one seniority, which stand together in the order of titles.
drop index concurrently if exists person_seniority;
create index concurrently person_seniority on person (seniority, lower(title) collate "C", personid) include (title);
