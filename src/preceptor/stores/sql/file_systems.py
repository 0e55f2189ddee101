"""Where a SQLite file may lie: write-ahead logging needs shared memory that network file systems do not give."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from preceptor.errors import UnsafePathError

NETWORK_FILE_SYSTEMS = frozenset(
    {
        "9p",
        "acfs",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "drvfs",
        "fuse.ceph",
        "fuse.cephfs",
        "fuse.davfs",
        "fuse.gcsfuse",
        "fuse.glusterfs",
        "fuse.juicefs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.smbnetfs",
        "fuse.sshfs",
        "gfs2",
        "glusterfs",
        "gpfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "ocfs2",
        "orangefs",
        "prl_fs",
        "smb3",
        "smbfs",
        "vboxsf",
        "vmhgfs",
        "fuse.vmhgfs-fuse",
    }
)
"""Types under which two processes may not see one shared memory, or a lock or flush may be a promise only."""


def mounted_file_systems(mount_table: Iterable[str]) -> dict[Path, str]:
    """Return mount point → file system type, from lines in the format of /proc/self/mountinfo.

    Of two mounts on one point the later hides the earlier.
    """
    found: dict[Path, str] = {}
    for line in mount_table:
        before, separator, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if separator and len(fields) >= 5 and kind:
            found[Path(_unescape(fields[4]))] = kind[0]
    return found


def file_system_of(path: Path, mounts: dict[Path, str]) -> str | None:
    """Return the type of the file system that holds `path`, resolved; `None` if the table does not say."""
    resolved = path.resolve()
    for folder in (resolved, *resolved.parents):
        if folder in mounts:
            return mounts[folder]
    return None


def require_local_file_system(path: Path, mount_table: Iterable[str] | None = None) -> None:
    """Refuse a path where SQLite would lose data.

    Args:
        path: The database file; it need not exist.
        mount_table: Lines as in /proc/self/mountinfo; `None`: this machine's, nothing where it has none.

    Raises:
        UnsafePathError: It lies on a network file system; the message names the path, the type and the way out.
    """
    kind = file_system_of(path, mounted_file_systems(_own_mounts() if mount_table is None else mount_table))
    if kind in NETWORK_FILE_SYSTEMS:
        raise UnsafePathError(
            f"{path} lies on a network file system ({kind}), where SQLite can lose or corrupt records. "
            "Set PRECEPTOR_HOME to a folder on a local disk, or store.url to a PostgreSQL database."
        )


def _own_mounts() -> list[str]:
    table = Path("/proc/self/mountinfo")
    return table.read_text(encoding="utf-8", errors="surrogateescape").splitlines() if table.exists() else []


def _unescape(field: str) -> str:
    for code, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(code, character)
    return field
