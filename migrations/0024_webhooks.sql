-- Webhooks of accounts. Nothing wrote these tables before. The policy of the previous version names `secretcipher`, so the
-- column stays for one more release.
alter table webhook alter column secretcipher drop not null;
alter table webhook add column secret text not null default '';
alter table webhook alter column secret drop default;
alter table webhook drop constraint webhook_url_check;
alter table webhook add constraint webhook_url_check check (url ~ '^https?://' and length(url) <= 500);
alter table webhook add constraint webhook_events_check
    check (cardinality(events) between 1 and 4
           and events <@ array['contact.revealed', 'bulk.finished', 'credits.low', 'plan.changed']);
alter table webhookdelivery add column dueon timestamptz not null default now();
alter table webhookdelivery add column error text;
create index webhookdelivery_due on webhookdelivery (dueon) where status = 'waiting';
create function tell_webhooks() returns trigger language plpgsql as $$
declare
    row_now jsonb;
begin
    if not exists (select from webhook w
                   where w.clientid = new.clientid and w.isactive = 1 and tg_argv[0] = any (w.events)) then
        return null;
    end if;
    row_now := to_jsonb(new);
    insert into webhookdelivery (clientid, webhookid, event, payload)
    select new.clientid, w.webhookid, tg_argv[0],
           jsonb_build_object('key', jsonb_build_object(tg_argv[1], row_now -> tg_argv[1]), 'record',
                              (select jsonb_object_agg(name, row_now -> name)
                               from unnest(string_to_array(tg_argv[2], ',')) name))::text
    from webhook w
    where w.clientid = new.clientid and w.isactive = 1 and tg_argv[0] = any (w.events);
    return null;
end $$;
