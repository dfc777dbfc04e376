-- The tutorial schema of PostgREST, with its second part.
create schema api;
create table api.todos (
  id serial primary key,
  done boolean not null default false,
  task text not null,
  due timestamptz
);
insert into api.todos (task) values ('finish tutorial 0'), ('pat self on back');
do $$ begin
  if not exists (select from pg_roles where rolname = 'web_anon') then create role web_anon nologin; end if;
  if not exists (select from pg_roles where rolname = 'todo_user') then create role todo_user nologin; end if;
exception when unique_violation or duplicate_object then null; end $$;
grant usage on schema api to web_anon, todo_user;
grant select on api.todos to web_anon;
grant all on api.todos to todo_user;
grant usage, select on sequence api.todos_id_seq to todo_user;
