"""Tables with geometries, and a PostgreSQL with PostGIS: that of the system, the embedded one has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tableapi.server.postgres.privileges import runner_for
from tableapi.server.postgres.server import Embedded
from tests.helpers.support import SqlClient

# PostGIS is in a schema outside the search path. 4258 has longitudes and latitudes, 25832 is in metres.
SCHEMA = '"Geo types"'
TABLES = f"""
create schema {SCHEMA};
create extension postgis schema {SCHEMA};
create table place (id integer primary key, name text, owner integer, geom {SCHEMA}.geometry(Point, 4326),
                    spot {SCHEMA}.geography(Point, 4326), grid {SCHEMA}.geometry(Point, 25832),
                    etrs {SCHEMA}.geometry(Point, 4258));
insert into place (id, name, owner, geom)
    select n, 'p' || n, n % 2, {SCHEMA}.st_setsrid({SCHEMA}.st_makepoint(10 + n % 60 * 0.01, 59 + n / 60 * 0.01), 4326)
    from generate_series(1, 3000) n;
update place set spot = geom::{SCHEMA}.geography, grid = {SCHEMA}.st_transform(geom, 25832),
                 etrs = {SCHEMA}.st_transform(geom, 4258);
insert into place (id, name, owner) values (3001, 'nowhere', 0);
create index place_geom on place using gist (geom);
create index place_measured on place using gist ((geom::{SCHEMA}.geography));
create index place_spot on place using gist (spot);
create index place_grid on place using gist (grid);
create table visit (id integer primary key, place_id integer references place, on_day date);
insert into visit values (1, 5, '2024-01-01'), (2, 2000, '2024-01-02');
create table shape (id serial primary key, any_shape {SCHEMA}.geometry, area {SCHEMA}.geometry(Polygon, 4326),
                    grid {SCHEMA}.geometry(Point, 25832), spot {SCHEMA}.geography,
                    parts {SCHEMA}.geometry[]);
"""
OWN = [{"name": "owner", "operator": "=", "value": "{user.id}"}]
ACCESS = {
    "keys": {"all": {"role": "*"}, "one": {"role": "owner", "user": {"id": 1}}},
    "roles": {"owner": {"access": [{"component": "_table/place/*", "verb_mask": 31, "filters": OWN}]}},
}
HERE = '{"type":"Point","coordinates":[10.203,59.204]}'
BOX = '{"type":"Polygon","coordinates":[[[10.1,59.1],[10.3,59.1],[10.3,59.3],[10.1,59.3],[10.1,59.1]]]}'


class SystemServer(Embedded):
    """`with SystemServer(folder) as url:` - the system's newest PostgreSQL, without durability."""

    needs = "../../../lib/postgresql/{}/bin/postgres"  # seen from the folder of shared files

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, durable=False)

    def _prepare(self) -> None:
        shared = Path("/usr/share/postgresql")
        versions = [int(path.name) for path in shared.glob("*") if (path / self.needs.format(path.name)).exists()]
        assert versions, "These tests need the system's PostgreSQL: run tools/postgis."
        self._bin = Path(f"/usr/lib/postgresql/{max(versions)}/bin")
        self._runner = runner_for(self.folder, self._bin)
        if not (self.data / "PG_VERSION").exists():
            self._make(max(versions))


class PostgisServer(SystemServer):
    """The same for databases with PostGIS."""

    needs = "extension/postgis.control"


def truth(database: SqlClient, condition: str, rest: str = "order by id") -> list[int]:
    """Return the ids of a condition in plain SQL. `here` and `box` are the shapes, P. the functions of PostGIS."""
    sql = f"""select id from place, P.st_geomfromgeojson('{HERE}') as here, P.st_geomfromgeojson('{BOX}') as box
              where {condition} {rest}"""
    return [row[0] for row in database.fetch(sql.replace("P.", f"{SCHEMA}."))]


def point(x: float, y: float, system: str = "") -> dict[str, Any]:
    crs = {"crs": {"type": "name", "properties": {"name": system}}} if system else {}
    return {"type": "Point", "coordinates": [x, y]} | crs
