-- outside a transaction
-- The language of a user's mails and invoices. Every statement locks one table and may run again.
alter table appuser add column if not exists language text;
do $$
begin
    if not exists (select 1 from pg_constraint
                   where conrelid = 'appuser'::regclass and conname = 'appuser_language_check') then
        alter table appuser add constraint appuser_language_check check (language ~ '^[a-z]{2}$') not valid;
    end if;
end $$;
alter table appuser validate constraint appuser_language_check;
