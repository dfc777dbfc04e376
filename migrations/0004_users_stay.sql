-- A user never changes its account, and an account never loses its owner. The application does neither.

create or replace function appuser_stays() returns trigger language plpgsql as $$
begin
    raise insufficient_privilege using message = 'a user stays in its account';
end $$;
create or replace trigger appuser_stays before update on appuser
    for each row when (old.clientid is distinct from new.clientid) execute function appuser_stays();

-- Checked at the end of the transaction, so that one transaction can hand an account over to another user.
create or replace function appuser_owned() returns trigger language plpgsql as $$
begin
    if not exists (select 1 from appuser where clientid = old.clientid and role = 'client') then
        raise insufficient_privilege using message = 'an account keeps an owner';
    end if;
    return null;
end $$;
create constraint trigger appuser_owned after update on appuser deferrable initially deferred
    for each row when (old.role = 'client' and new.role <> 'client') execute function appuser_owned();
