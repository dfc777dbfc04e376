create table room (
    roomid integer primary key,
    name text not null unique
);
create table guest (
    guestid integer primary key,
    name text not null,
    tokenhash bytea not null unique
);
create table booking (
    bookingid bigint generated always as identity primary key,
    roomid integer not null references room,
    guestid integer not null references guest,
    day date not null,
    confirmedon timestamptz,
    unique (roomid, day)
);
insert into room values (1, 'Oslo'), (2, 'Bergen');
insert into guest values (1, 'Ada', sha256('ada')), (2, 'Bob', sha256('bob'));
