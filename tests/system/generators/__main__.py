"""Run `python -m tests.system.generators`: clients that six generators write read every odd value.

Needs Node and the package registries. The packages, of the versions below, are kept in .cache/generators. Exits with 1
if a client does not compile or rejects a row.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import httpx2

from tableapi.server.postgres.server import Embedded
from tests.helpers.support import ROOT, clean_environment, execute, start

NPM = {
    "openapi-typescript": "7.13.0", "openapi-fetch": "0.15.0", "@hey-api/openapi-ts": "0.99.0", "orval": "8.38.0",
    **dict.fromkeys(("@kubb/cli", "@kubb/core", "@kubb/plugin-oas", "@kubb/plugin-ts", "@kubb/plugin-zod"), "4.39.3"),
    "zod": "4.6.7", "typescript": "5.9.3", "esbuild": "0.28.2", "prettier": "3.6.2", "@types/node": "20.19.0",
}  # fmt: skip
PIP = {"openapi-python-client": "0.29.1", "datamodel-code-generator": "0.89.0", "mypy": "2.4.1", "ruff": "0.17.5"}
PACKAGES = ROOT / ".cache" / "generators"
# The table, and the words that generators make of it.
TABLES = {"contract": "Contract", "day": "Day", "rate": "Rate", "Rate": "Rate2", "order_item": "OrderItem",
          "OrderItem": "OrderItem2"}  # fmt: skip
TSC = ("tsc", "--strict", "--noEmit", "--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--module", "esnext",
       "--moduleResolution", "bundler", "--allowImportingTsExtensions", "--types", "node",
       "--skipLibCheck")  # fmt: skip
FETCH = """
import createClient from "openapi-fetch";
import type { paths } from "./schema";
const api = createClient<paths>({ baseUrl: process.argv[2]! });
const { data, error } = await api.GET("/api/v2/x/_table/contract");
if (error) throw new Error(error.error.message);
const rates: (number | string | null | undefined)[] = data.resource.map((row) => row.rate);
if (rates.join() !== "1.1,NaN,Infinity,-Infinity") throw new Error(rates.join());
"""
# bigint beyond JavaScript's numbers is read as text.
ZOD = """
import * as plain from "./%(module)s-json";
import * as exact from "./%(module)s-text";
for (const [table, word] of %(words)s) {
  for (const [numbers, schemas] of [["json", plain], ["text", exact]] as const) {
    if (table === "contract" && numbers === "json") continue;
    const url = `${process.argv[2]}/api/v2/x/_table/${encodeURIComponent(table)}?numbers=${numbers}`;
    const schema: { parse(rows: unknown): unknown } = schemas[word as keyof typeof schemas] as never;
    schema.parse(await (await fetch(url)).json());
  }
}
"""
ORVAL = """
const written = (numbers, client, name) =>
  ({ input: `./openapi-${numbers}.json`, output: { target: `./${name}-${numbers}.ts`, client } });
export default Object.fromEntries(["json", "text"].flatMap((numbers) => [
  [`zod-${numbers}`, written(numbers, "zod", "orval")], [`api-${numbers}`, written(numbers, "fetch", "api")],
]));
"""
KUBB = """
import { defineConfig } from "@kubb/core";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";
import { pluginZod } from "@kubb/plugin-zod";
export default defineConfig(["json", "text"].map((numbers) => ({
  root: ".", input: { path: `./openapi-${numbers}.json` }, output: { path: `./kubb-${numbers}` },
  plugins: [pluginOas(), pluginTs(), pluginZod({ version: "4" })],
})));
"""
PYTHON = """
import importlib, pkgutil, sys
import httpx
import client_json, client_text
for package in (client_json, client_text):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
client = client_json.Client(base_url=sys.argv[1])
for module, operation in (("contract", "contract"), ("day", "day"), ("rate", "rate"), ("order_item", "order_item_2")):
    read = importlib.import_module(f"client_json.api.{module}.get_{operation}").sync_detailed(client=client)
    assert read.status_code == 200 and read.parsed.resource[0].to_dict(), read
"""
PYDANTIC = """
import sys
import httpx
import models_json, models_text
for table, word in %s.items():
    for numbers, module in (("json", models_json), ("text", models_text)):
        rows = httpx.get(f"{sys.argv[1]}/api/v2/x/_table/{table}", params={"numbers": numbers}).text
        assert getattr(module, f"{word}List").model_validate_json(rows).resource
"""


class Workshop:
    """A folder with two descriptions of a served database, and the programs of the generators."""

    def __init__(self, folder: Path, server: str) -> None:
        self._folder, self._server = folder, server
        node = subprocess.run([ROOT / "tools/node"], capture_output=True, text=True, check=True).stdout.strip()
        paths = (PACKAGES / "node_modules/.bin", PACKAGES / "venv/bin", node)
        self._environment = clean_environment() | {"PYTHONPATH": str(folder)}
        self._environment["PATH"] = ":".join(map(str, (*paths, self._environment["PATH"])))
        self._install()
        (folder / "node_modules").symlink_to(PACKAGES / "node_modules")
        for numbers in ("json", "text"):
            response = httpx2.get(f"{server}/api/v2/x/_spec", params={"typed": "true", "numbers": numbers}, timeout=60)
            (folder / f"openapi-{numbers}.json").write_text(response.raise_for_status().text)

    def _install(self) -> None:
        wanted = json.dumps({"private": True, "type": "module", "dependencies": NPM, "python": PIP}, indent=1)
        manifest = PACKAGES / "package.json"
        if manifest.exists() and manifest.read_text() == wanted:
            return
        PACKAGES.mkdir(parents=True, exist_ok=True)
        (PACKAGES / "package.json.new").write_text(wanted)
        packages = [f"{name}@{version}" for name, version in NPM.items()]
        self._run("npm", "install", "--no-save", "--silent", "--no-audit", "--no-fund", *packages, cwd=PACKAGES)
        self._run(sys.executable, "-m", "venv", "--clear", PACKAGES / "venv")
        pinned = [f"{name}=={version}" for name, version in PIP.items()]
        self._run(PACKAGES / "venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", *pinned)
        (PACKAGES / "package.json.new").rename(manifest)

    def _run(self, *words: str | Path, cwd: Path | None = None) -> None:
        ran = subprocess.run(
            words, cwd=cwd or self._folder, env=self._environment, capture_output=True, text=True, check=False
        )
        if ran.returncode:
            raise SystemError(f"{' '.join(map(str, words[:2]))}: {(ran.stdout + ran.stderr)[-2000:]}")

    def _typescript(self, name: str, program: str, *others: str) -> None:
        """Compile a program with the modules that it does not import, and run it."""
        (self._folder / f"{name}.ts").write_text(program + "export {};\n")
        self._run(*TSC, f"{name}.ts", *others)
        self._run("esbuild", f"{name}.ts", "--bundle", "--platform=node", "--format=esm", f"--outfile={name}.mjs")
        self._run("node", f"{name}.mjs", self._server)

    def _zod(self, module: str, schema: Callable[[str], str], *others: str) -> None:
        words = json.dumps([[table, schema(word)] for table, word in TABLES.items()])
        self._typescript(f"read-{module}", ZOD % {"module": module, "words": words}, *others)

    # -- the generators ----------------------------------------------------------------------------------------------

    def openapi_typescript(self) -> None:
        self._run("openapi-typescript", "openapi-json.json", "-o", "schema.d.ts")
        self._typescript("fetch", FETCH)

    def hey_api(self) -> None:
        plugins = ("@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk", "zod")
        for numbers in ("json", "text"):
            self._run("openapi-ts", "-i", f"./openapi-{numbers}.json", "-o", f"./hey-{numbers}", "-p", *plugins)
            (self._folder / f"heyzod-{numbers}.ts").write_text(f'export * from "./hey-{numbers}/zod.gen";\n')
        self._zod("heyzod", lambda word: f"z{word}List", "hey-json/index.ts", "hey-text/index.ts")

    def orval(self) -> None:
        (self._folder / "orval.config.mjs").write_text(ORVAL)
        self._run("orval", "--config", "orval.config.mjs")
        self._zod("orval", lambda word: f"Get{word}Response", "api-json.ts", "api-text.ts")

    def kubb(self) -> None:
        (self._folder / "kubb.config.mjs").write_text(KUBB)
        self._run("kubb", "generate", "--config", "kubb.config.mjs")
        for numbers in ("json", "text"):
            (self._folder / f"kubbzod-{numbers}.ts").write_text(f'export * from "./kubb-{numbers}/index.ts";\n')
        self._zod("kubbzod", lambda word: f"get{word}200Schema")

    def openapi_python_client(self) -> None:
        for numbers in ("json", "text"):
            words = ("--path", f"openapi-{numbers}.json", "--meta", "none", "--output-path", f"client_{numbers}")
            self._run("openapi-python-client", "generate", *words)
        self._python("read_client", PYTHON)

    def datamodel_code_generator(self) -> None:
        for numbers in ("json", "text"):
            self._run(
                "datamodel-codegen", "--input", f"openapi-{numbers}.json", "--input-file-type", "openapi",
                "--output", f"models_{numbers}.py", "--output-model-type", "pydantic_v2.BaseModel", "--use-annotated",
                "--formatters", "builtin",
            )  # fmt: skip
        self._python("read_models", PYDANTIC % TABLES)
        self._run("mypy", "--cache-dir", PACKAGES / "mypy", "models_json.py", "models_text.py")

    def _python(self, name: str, program: str) -> None:
        (self._folder / f"{name}.py").write_text(program)
        self._run(PACKAGES / "venv/bin/python", f"{name}.py", self._server)


def main() -> int:
    failed = 0
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        folder.chmod(0o755)
        url = stack.enter_context(Embedded(folder / "postgres", durable=False))
        execute(url, Path(__file__).with_name("odd.sql").read_text())
        server = start(stack, folder, "--dataset", f"x={url}", "--open", LOG_LEVEL="warning")
        workshop = Workshop(folder, server.url)
        for generate in (
            workshop.openapi_typescript, workshop.hey_api, workshop.orval, workshop.kubb,
            workshop.openapi_python_client, workshop.datamodel_code_generator,
        ):  # fmt: skip
            began, outcome = time.monotonic(), "reads every value"
            try:
                generate()
            except SystemError as error:
                failed, outcome = failed + 1, f"FAILED {error}"
            print(f"{generate.__name__:25} {time.monotonic() - began:4.0f} s  {outcome}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
