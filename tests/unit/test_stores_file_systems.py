"""A database is refused where SQLite loses data."""

from __future__ import annotations

from pathlib import Path

import pytest

from preceptor.errors import UnsafePathError
from preceptor.stores.sql.file_systems import file_system_of, mounted_file_systems, require_local_file_system

TABLE = r"""
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:26 / /home rw,nosuid shared:15 - nfs4 files:/home rw,vers=4.2
31 30 8:1 / /home/ana/disk rw,relatime - xfs /dev/sda1 rw
32 22 0:40 / /mnt/my\040share rw - cifs //server/share rw
33 22 0:41 / /mnt/laptop rw master:3 propagate_from:2 - fuse.sshfs ana@laptop: rw
34 22 0:42 / /data rw - nfs files:/data rw
35 34 8:2 / /data rw - btrfs /dev/sdb rw
a line that is none
""".strip().splitlines()


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "ext4"),
        ("/home/ana/preceptor/x.sqlite3", "nfs4"),
        ("/home/ana/disk/x.sqlite3", "xfs"),
        ("/homework/x.sqlite3", "ext4"),
        ("/mnt/my share/x.sqlite3", "cifs"),
        ("/data/x.sqlite3", "btrfs"),
    ],
)
def test_the_innermost_mount_counts_and_the_later_of_two(path: str, kind: str) -> None:
    assert file_system_of(Path(path), mounted_file_systems(TABLE)) == kind


@pytest.mark.parametrize(
    ("path", "kind"),
    [("/home/ana/x.sqlite3", "nfs4"), ("/mnt/my share/x.sqlite3", "cifs"), ("/mnt/laptop/a/x.sqlite3", "fuse.sshfs")],
)
def test_a_network_file_system_is_refused_with_path_type_and_way_out(path: str, kind: str) -> None:
    with pytest.raises(UnsafePathError) as caught:
        require_local_file_system(Path(path), TABLE)
    for part in (path, f"({kind})", "PRECEPTOR_HOME", "store.url"):
        assert part in str(caught.value)


def test_a_link_into_a_network_file_system_is_refused(tmp_path: Path) -> None:
    (tmp_path / "share").mkdir()
    (tmp_path / "home").symlink_to(tmp_path / "share")
    table = [*TABLE, f"40 22 0:50 / {tmp_path / 'share'} rw - nfs files:/x rw"]
    with pytest.raises(UnsafePathError):
        require_local_file_system(tmp_path / "home" / "x.sqlite3", table)


def test_a_local_path_and_a_machine_without_a_table_pass() -> None:
    require_local_file_system(Path("/data/x.sqlite3"), TABLE)
    require_local_file_system(Path("/home/ana/x.sqlite3"), [])
