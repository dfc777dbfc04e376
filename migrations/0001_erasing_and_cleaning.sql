-- outside a transaction
-- Erasing a person deletes that person's feedback, and the nightly clean-up deletes revoked sessions: both read the whole
-- table, which at some ten million rows takes longer than a statement may.
drop index concurrently if exists contactfeedback_person;
create index concurrently contactfeedback_person on contactfeedback (personid);
drop index concurrently if exists usersession_revokedon;
create index concurrently usersession_revokedon on usersession (revokedon) where revokedon is not null;
