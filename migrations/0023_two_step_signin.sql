-- Proposed secrets of two-step sign-in are one-time tokens.
alter table onetimetoken drop constraint if exists onetimetoken_purpose_check;
alter table onetimetoken add constraint onetimetoken_purpose_check
    check (purpose in ('verify', 'invite', 'reset', 'emailchange', 'check', 'social', 'oauthstate', 'session', 'mfa',
                       'mfasetup', 'removal', 'oauthcode')) not valid;
alter table onetimetoken validate constraint onetimetoken_purpose_check;
