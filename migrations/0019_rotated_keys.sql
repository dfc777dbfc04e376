-- outside a transaction
-- API keys that were rotated work on under their old key for a while. Every statement locks one table and may run again.
alter table apikeys add column if not exists oldkeyhash bytea;
alter table apikeys add column if not exists oldkeyuntil timestamptz;
create unique index concurrently if not exists apikeys_oldkeyhash on apikeys (oldkeyhash) where oldkeyhash is not null;
