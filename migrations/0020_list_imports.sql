-- outside a transaction
-- Columns of files that were imported into lists.
create table if not exists listmapping (  -- what the columns of a file mean, by its header; the team shares it
    clientid   bigint not null references client,
    headerhash bytea not null check (length(headerhash) = 32),
    mapping    jsonb not null check (jsonb_typeof(mapping) = 'object'),
    changedon  timestamptz not null default now(),
    primary key (clientid, headerhash)
);
