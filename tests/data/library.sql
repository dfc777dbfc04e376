-- Fixture of table_cases_query.json: authors, articles and comments, with arrays, ranges, JSON and full text.
-- It can be loaded again and again: it drops and builds its own tables.

BEGIN;
SET LOCAL client_min_messages = warning;
SET LOCAL timezone = 'UTC';

DROP TABLE IF EXISTS note, article_topic, topic, comment, article, author CASCADE;
DROP FUNCTION IF EXISTS articles_of, prices CASCADE;
DROP TYPE IF EXISTS address, mood CASCADE;

CREATE TYPE address AS (street text, city text);
CREATE TYPE mood AS ENUM ('calm', 'glad');

CREATE TABLE author (
    id       integer PRIMARY KEY,
    name     text NOT NULL,
    country  text,
    secret   text,
    home     address,
    data     jsonb
);

CREATE TABLE article (
    id         integer PRIMARY KEY,
    title      text NOT NULL UNIQUE,
    body       text,
    words      tsvector GENERATED ALWAYS AS (to_tsvector('english', coalesce(body, ''))) STORED,
    tags       text[],
    scores     integer[],
    moods      mood[],
    period     daterange,
    seats      int4range,
    seasons    datemultirange,
    data       jsonb,
    published  boolean,
    price      numeric(10,2),
    createdon  timestamptz NOT NULL,
    author_id  integer REFERENCES author (id),
    editor_id  integer REFERENCES author (id)
);

CREATE TABLE comment (
    id          integer PRIMARY KEY,
    article_id  integer NOT NULL REFERENCES article (id),
    stars       integer,
    body        text,
    day         date
);

CREATE TABLE topic (slug text PRIMARY KEY, label text NOT NULL);
CREATE TABLE article_topic (
    article_id  integer REFERENCES article (id),
    topic_slug  text REFERENCES topic (slug),
    PRIMARY KEY (article_id, topic_slug)
);

CREATE TABLE note (id integer PRIMARY KEY, "a.dotted.column" text, "(inside,parens)" text, "Mixed Name" text);

-- article_id of the third view is that of the tables, through two views
CREATE VIEW open_article AS
SELECT a.id, a.title AS name, a.author_id AS writer, upper(a.title) AS loud, u.name AS author
FROM article a JOIN author u ON u.id = a.author_id WHERE a.published;
CREATE VIEW writer AS SELECT id, name FROM author;
CREATE VIEW open_again AS SELECT o.id AS article_id, o.writer, count(*) AS n FROM open_article o GROUP BY o.id, o.writer;
CREATE VIEW everything AS SELECT id FROM article UNION SELECT id FROM author;

CREATE OR REPLACE FUNCTION label(author) RETURNS text LANGUAGE sql STABLE AS $$ SELECT $1.name || ', ' || coalesce($1.country, '?') $$;
CREATE OR REPLACE FUNCTION age_days(article) RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT (date '2025-01-01' - ($1.createdon AT TIME ZONE 'UTC')::date) $$;
CREATE OR REPLACE FUNCTION cheaper(article) RETURNS SETOF article LANGUAGE sql STABLE AS $$ SELECT * FROM article a WHERE a.price < $1.price $$;
CREATE OR REPLACE FUNCTION first_comment(article) RETURNS comment LANGUAGE sql STABLE AS $$ SELECT * FROM comment c WHERE c.article_id = $1.id ORDER BY id LIMIT 1 $$;
CREATE OR REPLACE FUNCTION touch(author) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT 'touched' $$;
CREATE OR REPLACE FUNCTION articles_of(country text, lowest numeric DEFAULT 0) RETURNS SETOF article LANGUAGE sql STABLE AS
$$ SELECT a.* FROM article a JOIN author u ON u.id = a.author_id WHERE u.country = articles_of.country AND a.price >= lowest $$;
CREATE OR REPLACE FUNCTION prices("limit" integer) RETURNS TABLE (title text, price numeric) LANGUAGE sql STABLE AS
$$ SELECT a.title, a.price FROM article a WHERE a.price > prices."limit" ORDER BY a.price $$;

INSERT INTO author VALUES
 (1, 'Ada',  'NO', 'zzz', ROW('Main 1', 'Oslo'), '{"rank": 2, "tags": ["x", "y"]}'),
 (2, 'Ben',  'IE', 'yyy', ROW('Quay 7', 'Cork'), '{"rank": 10}'),
 (3, 'Cleo', 'NO', 'xxx', NULL, NULL);

INSERT INTO article
  (id, title, body, tags, scores, moods, period, seats, seasons, data, published, price, createdon, author_id, editor_id)
VALUES
 (1, 'Cats', 'The fat cat sat on the mat and ate rats.', '{a,b}', '{1,2,3}', '{calm}', '[2024-01-01,2024-02-01)',
  '[1,5)', '{[2024-01-01,2024-02-01),[2024-06-01,2024-07-01)}',
  '{"tier": "gold", "n": 2, "ok": true, "deep": {"list": [10, 20]}}', true, 10.50, '2024-01-15 10:30:00+00', 1, 2),
 (2, 'Dogs', 'A dog <b>chased</b> the cats & the postman.', '{b,c,12}', '{12}', '{calm,glad}', '[2024-02-01,2024-03-01)',
  '[5,10)', NULL, '{"tier": "silver", "n": 10}', false, 20, '2024-01-31 23:30:00+00', 1, 1),
 (3, 'Birds', 'Birds fly south.', '{}', '{}', NULL, 'empty', NULL, NULL, '{"n": "2", "ok": null}', NULL, 5, '2024-04-01 00:00:00+00', 2, NULL),
 (4, 'Mice', NULL, NULL, NULL, NULL, NULL, '(,3)', NULL, NULL, true, NULL, '2025-01-01 00:00:00+00', NULL, NULL),
 (5, 'Rats', 'Rats and cats and rats again.', '{a,"x, y",NULL}', '{3,2,1,NULL}', '{glad}', '[2024-01-15,2024-01-16)',
  '[20,)', '{[2023-01-01,2023-02-01)}', '[{"n": 7}, "b"]', false, 7.25, '2024-05-06 07:08:09+00', 3, 1);

INSERT INTO comment VALUES
 (1, 1, 5, 'good', '2024-02-01'), (2, 1, 3, 'fine', '2024-02-20'), (3, 2, 1, 'bad', '2024-03-05'),
 (4, 2, NULL, NULL, '2024-03-06'), (5, 5, 4, 'good', '2024-06-01');

INSERT INTO topic VALUES ('pet', 'Pets'), ('wild', 'Wildlife'), ('food', 'Food');
INSERT INTO article_topic VALUES (1, 'pet'), (1, 'food'), (2, 'pet'), (3, 'wild');
INSERT INTO note VALUES (1, 'dot', 'par', 'mix'), (2, 'top', 'ens', NULL);

COMMIT;
