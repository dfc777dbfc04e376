-- outside a transaction
-- Sessions of agents, their clients and tokens. Every statement locks one table and may run again.
alter table usersession add column if not exists agent text;
alter table usersession add column if not exists agentid text;
alter table usersession add column if not exists scopes text;
do $$
declare
    rule record;
begin
    for rule in
        select * from (values ('usersession_agent_check', 'length(agent) <= 100'),
                              ('usersession_agentid_check', 'length(agentid) <= 2000'),
                              ('usersession_scopes_check', 'length(scopes) <= 2000'),
                              ('usersession_check', 'num_nonnulls(agent, agentid, scopes) in (0, 3)')) v (name, test)
        where not exists (select 1 from pg_constraint where conrelid = 'usersession'::regclass and conname = v.name)
    loop
        execute format('alter table usersession add constraint %I check (%s) not valid', rule.name, rule.test);
    end loop;
end $$;
alter table usersession validate constraint usersession_agent_check;
alter table usersession validate constraint usersession_agentid_check;
alter table usersession validate constraint usersession_scopes_check;
alter table usersession validate constraint usersession_check;

create table if not exists oauthclient (  -- clients of agents that registered themselves
    oauthclientid text primary key check (length(oauthclientid) <= 100),
    name          text not null check (length(name) <= 100),
    redirecturis  text[] not null check (cardinality(redirecturis) between 1 and 10),
    ip            text,
    createdon     timestamptz not null default now(),
    expireson     timestamptz not null default now() + interval '1 day'  -- later for one that is used
);
create index if not exists oauthclient_expireson on oauthclient (expireson);

create table if not exists oauthtoken (  -- of the session of an agent
    tokenhash     bytea primary key check (length(tokenhash) = 32),
    usersessionid bigint not null references usersession on delete cascade,
    kind          text not null check (kind in ('access', 'refresh')),
    scopes        text not null,
    createdon     timestamptz not null default now(),
    expireson     timestamptz not null,
    usedon        timestamptz  -- of a refresh token, which is used once
);
create index if not exists oauthtoken_usersession on oauthtoken (usersessionid);
create index if not exists oauthtoken_expireson on oauthtoken (expireson);

alter table onetimetoken drop constraint if exists onetimetoken_purpose_check;
alter table onetimetoken add constraint onetimetoken_purpose_check
    check (purpose in ('verify', 'invite', 'reset', 'emailchange', 'check', 'social',
                       'oauthstate', 'session', 'mfa', 'removal', 'oauthcode')) not valid;
alter table onetimetoken validate constraint onetimetoken_purpose_check;
