-- Keys, webhooks and invitations that an agent made end when it is disconnected.
alter table appuser add column madeby bigint;
alter table apikeys add column madeby bigint;
alter table webhook add column madeby bigint;
create function end_of_agent() returns trigger language plpgsql as $$
begin
    update apikeys set isactive = 0, madeby = null where clientid = new.clientid and madeby = new.usersessionid;
    update webhook set isactive = 0, madeby = null where clientid = new.clientid and madeby = new.usersessionid;
    update onetimetoken set expireson = now() where purpose = 'invite' and usedon is null and appuserid in (
        select appuserid from appuser where clientid = new.clientid and madeby = new.usersessionid
                                        and invitestatus = 'pending');
    update appuser set passwordexpireson = now(), madeby = null
    where clientid = new.clientid and madeby = new.usersessionid and invitestatus = 'pending';
    return null;
end $$;
create trigger usersession_of_agent_revoked after update of revokedon on usersession
    for each row when (old.revokedon is null and new.revokedon is not null and new.agent is not null)
    execute function end_of_agent();
