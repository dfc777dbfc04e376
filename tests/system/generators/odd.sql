-- Values that JSON Schema's formats do not know, and names that generators could mix up.
create type mood as enum ('sad', 'it''s "fine"', '');
create type address as (street text, number integer, tags text[]);
create table contract (
    id integer primary key, starts date not null, ends date, rate numeric, fixed numeric(10, 2) not null,
    score float8 not null, small real, at timestamptz, local timestamp not null, opens time, zoned timetz, length interval,
    big bigint, price money, mood mood, moods mood[], address address, addresses address[], document jsonb not null,
    text json, bytes bytea, uuid uuid, ip inet, range int4range, during daterange, days date[], rates numeric[],
    short varchar(3), bits bit(3), flag boolean, words tsvector, place point
);
insert into contract values
    (1, '2024-01-01', 'infinity', 1.10, 1, 'NaN', 'Infinity', 'infinity', '-infinity', '24:00', '24:00+05:30', '1 mon',
     9007199254740993, 12.5, 'sad', '{sad}', '("a",1,{x})', '{"(a,1,{x})"}', '{"a": 1}', 'null', '\x00ff',
     '0b7e6b0c-5f0e-4c1b-9c3a-2f8f6f0f5d1e', '10.0.0.1', '[1,5)', '[2024-01-01,infinity)', '{infinity,2024-01-01}',
     '{NaN,1.5}', '😀😀😀', '101', true, 'a b', '(1,2)'),
    (2, '4713-01-01 BC', '10000-01-01', 'NaN', 'NaN', 'Infinity', 'NaN', '4713-01-01 BC', '294276-12-31', '00:00',
     '00:00+00', '-1 year', -5, -1, 'it''s "fine"', null, null, null, '"text"', '[1]', '',
     '11111111-1111-1111-1111-111111111111', '::1/64', 'empty', null, null, null, 'abc', null, null, null, null),
    (3, '-infinity', null, 'Infinity', 5.5, 2.5, 1, null, '2024-01-01', null, null, 'infinity', null, null, '', '{}',
     '(,,)', '{}', 'null', '{}', null, 'ffffffff-ffff-ffff-ffff-fffffffffffe', null, null, null, '{}', '{}', null, null,
     false, null, null),
    (4, '2024-02-01', '2025-01-01', '-Infinity', 5.55, -0.0, 1e30, '2024-01-01 00:00:00.123456+00',
     '0044-03-15 12:00 BC', null, null, '12000000 years', 9223372036854775807, 1, null, '{}', null, null, '[]', '3', null,
     null, null, null, null, null, null, null, null, null, null, null);
create table day (day date primary key);
create table rate (rate numeric primary key);
create table "Rate" (rate float8 primary key, back numeric references rate);
create table order_item (id integer primary key, n numeric);
create table "OrderItem" (id integer primary key, n date);
create table order_item_list (id integer primary key);
create table order_item_by_id (id integer primary key);
create table "Error" (id integer primary key);
create table "страна" (id integer primary key, "имя" text);
create table "東京" (id integer primary key);
create table "1st" (id integer primary key);
create table "!!!" (id integer primary key);
insert into day values ('infinity');
insert into rate values ('NaN');
insert into "Rate" values ('Infinity', 'NaN');
insert into order_item values (1, 'NaN');
insert into "OrderItem" values (1, 'infinity');
