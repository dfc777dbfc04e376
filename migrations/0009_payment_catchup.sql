-- How far missed payment events are fetched. The statement locks no other table and may run again.
create table if not exists paymentcatchup (
    id   flag primary key default 1 check (id = 1),
    upto timestamptz not null
);
