-- A registration states when it ends: an hour later, or 30 days after its last use.
alter table oauthclient alter column expireson drop default;
