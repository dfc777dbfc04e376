-- The outbox of recorded changes. It can be created again while programs write to the tables.
--
-- Unlogged: after a crash it is empty, and every stream that is resumed then begins with a reset.
create schema if not exists tableapi_changes;

create unlogged table if not exists tableapi_changes.change (
    seq       bigint generated always as identity,
    xid       xid8 not null default pg_current_xact_id(),
    relation  oid not null,
    operation "char" not null,  -- i, u, d, or r: too many rows to name them
    key       jsonb,            -- values of the key, in its order
    parts     jsonb,            -- {column: [value before, value after]} as text; "*": [row before, row after, time]
    changed   text[]            -- columns that an update changed
);
create index if not exists change_xid on tableapi_changes.change (xid);

-- The sequence is logged: a standby promoted before its first checkpoint has only zeros for one that is not ("bad magic
-- number in sequence"), and every recorded write would fail.
do $$ begin
    if exists (select from pg_class where oid = 'tableapi_changes.change_seq_seq'::regclass and relpersistence = 'u') then
        alter sequence tableapi_changes.change_seq_seq set logged;
    end if;
end $$;

-- Every change with an xid from the oldest mark on is still there.
create unlogged table if not exists tableapi_changes.mark (
    at     timestamptz primary key default clock_timestamp(),
    oldest xid8 not null  -- every older transaction had ended
);

-- One row while every change is there: after a crash, a failover or in a new outbox it is missing or another one.
create unlogged table if not exists tableapi_changes.intact (id uuid primary key default gen_random_uuid());

-- The webhooks that some server delivers: the place in the outbox that each has reached, and its circuit breaker.
create table if not exists tableapi_changes.webhook (
    name       text primary key,             -- dataset/name
    position   pg_snapshot not null default pg_current_snapshot(),
    epoch      text not null default '',     -- the row of `intact` at that place
    seen       timestamptz not null default now(),  -- when a server last delivered it
    failures   integer not null default 0,   -- rounds of attempts without a success, in a row
    open_until timestamptz,                  -- no attempt before
    error      text,                         -- changes that were lost, or cannot be read
    error_at   timestamptz,
    gone       text                          -- the URL that has responded with 410, to which nothing is sent
);

-- The events of webhooks: those to deliver, and the log of those that were delivered or given up.
create table if not exists tableapi_changes.delivery (
    id           bigint generated always as identity primary key,
    webhook      text not null,
    event        text not null,              -- webhook-id
    type         text not null,
    at           timestamptz not null,       -- of the change
    record_key   text not null,              -- a digest of the key: events of one record are delivered in order
    key          text not null,              -- JSON
    record       text not null,              -- JSON
    state        "char" not null default 'p',  -- p pending, d delivered, f failed
    attempts     integer not null default 0,
    due          timestamptz not null default now(),
    queued       timestamptz not null default now(),
    tried        timestamptz,
    status       integer,
    error        text,
    milliseconds integer
);
create index if not exists delivery_due on tableapi_changes.delivery (webhook, due, id) where state = 'p';
create index if not exists delivery_probe on tableapi_changes.delivery (webhook, attempts, id) where state = 'p';
-- The condition differs from that of the other indexes on purpose: without statistics of what waits, and those of a
-- queue are always old, PostgreSQL takes another index to look for earlier events, and reads all that wait for each.
create index if not exists delivery_order on tableapi_changes.delivery (webhook, record_key, id)
    where case when state = 'p' then true end;
create index if not exists delivery_event on tableapi_changes.delivery (webhook, event);
create index if not exists delivery_tried on tableapi_changes.delivery (webhook, tried);
create index if not exists delivery_queued on tableapi_changes.delivery (queued);

-- Values of the key of a row, in its order.
create or replace function tableapi_changes.key(r jsonb, keys text[]) returns jsonb language sql immutable as $$
    select jsonb_agg(r -> k order by n) from unnest(keys) with ordinality u (k, n)
$$;

-- Store the change of one row; no `before` is an insert, no `after` a delete, and an update of the key is both.
create or replace function tableapi_changes.write(relation oid, before jsonb, after jsonb, keys text[], cols text[])
returns void language plpgsql as $$
declare
    key jsonb;
    parts jsonb;
    changed text[];
    col text;
begin
    if cardinality(keys) = 1 then
        key := jsonb_build_array(coalesce(after, before) -> keys[1]);
    else
        key := tableapi_changes.key(coalesce(after, before), keys);
    end if;
    if before is not null and after is not null and tableapi_changes.key(before, keys) <> key then
        perform tableapi_changes.write(relation, before, null, keys, cols);
        perform tableapi_changes.write(relation, null, after, keys, cols);
        return;
    end if;
    foreach col in array cols loop
        parts := coalesce(parts, '{}') || jsonb_build_object(
            col, case when col = '*' then jsonb_build_array(before, after, clock_timestamp())
                 else jsonb_build_array(before ->> col, after ->> col) end
        );
    end loop;
    if before is not null and after is not null then
        changed := (select array_agg(e.key) from jsonb_each(after) e where e.value is distinct from before -> e.key);
    end if;
    insert into tableapi_changes.change (relation, operation, key, parts, changed) values (
        relation, case when before is null then 'i' when after is null then 'd' else 'u' end, key, parts, changed
    );
end $$;

-- Arguments of the triggers: the number of columns of the key, these columns, and the columns for `parts`, "*" for the
-- whole row, which webhooks need; then many more rows of a statement are named. A write of one row, as most are, has
-- a short path of its own. JIT would cost more than the whole function. Times are written as the server reads them, whatever the session of the
-- writer has set.
create or replace function tableapi_changes.record() returns trigger language plpgsql security definer
set search_path = pg_catalog, pg_temp set jit = off
set timezone = 'UTC' set datestyle = 'ISO, MDY' set intervalstyle = 'postgres' as $$
declare
    max_rows constant integer := case when '*' = any(tg_argv) then 100000 else 500 end;
    rows integer := max_rows + 1;
    keys text[] := tg_argv[1:tg_argv[0]::integer];
    cols text[] := tg_argv[tg_argv[0]::integer + 1:];
    before jsonb;
    after jsonb;
begin
    if tg_op = 'INSERT' then
        rows := (select count(*) from (select from newrows limit max_rows + 1) r);
    elsif tg_op in ('UPDATE', 'DELETE') then
        rows := (select count(*) from (select from oldrows limit max_rows + 1) r);
    end if;
    if rows = 0 then
        return null;
    elsif rows > max_rows then
        insert into tableapi_changes.change (relation, operation) values (tg_relid, 'r');
    elsif rows = 1 then
        if tg_op <> 'INSERT' then
            before := (select to_jsonb(t) from oldrows t);
        end if;
        if tg_op <> 'DELETE' then
            after := (select to_jsonb(t) from newrows t);
        end if;
        if before = after then
            return null;
        end if;
        perform tableapi_changes.write(tg_relid, before, after, keys, cols);
    elsif tg_op = 'INSERT' then
        perform tableapi_changes.write(tg_relid, null, to_jsonb(t), keys, cols) from newrows t;
    elsif tg_op = 'DELETE' then
        perform tableapi_changes.write(tg_relid, to_jsonb(t), null, keys, cols) from oldrows t;
    else
        perform tableapi_changes.write(tg_relid, o.row, n.row, keys, cols)
        from (select to_jsonb(t) as row from oldrows t offset 0) o
        full join (select to_jsonb(t) as row from newrows t offset 0) n
             on tableapi_changes.key(o.row, keys) = tableapi_changes.key(n.row, keys)
        where o.row is distinct from n.row;
    end if;
    return null;
end $$;

comment on schema tableapi_changes is 'version 6';
insert into tableapi_changes.mark (oldest) select pg_snapshot_xmin(pg_current_snapshot());
insert into tableapi_changes.intact select gen_random_uuid() where not exists (select from tableapi_changes.intact);
