"""Golden files stand in tests/golden, as files of their own; `pytest --snapshot-update` writes them anew."""

from pathlib import Path

from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode


class Golden(SingleFileSnapshotExtension):
    _write_mode = WriteMode.TEXT
    file_extension = "txt"

    @classmethod
    def dirname(cls, *, test_location, **_):
        return str(Path(test_location.filepath).parent / "golden" / Path(test_location.filepath).stem)
