-- A change of a user's address ends the sign-ins with providers that were linked before it.
create or replace function appuser_email_changed() returns trigger language plpgsql as $$
begin
    delete from onetimetoken where appuserid = new.appuserid;
    delete from socialaccount where appuserid = new.appuserid;
    return null;
end $$;
