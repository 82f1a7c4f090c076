"""Records of practice matches as files, one a match."""

from __future__ import annotations

from pathlib import Path

from beanleague.games import Record, record_to_json


class RecordFolder:
    """A folder of records, each in DEAL.ROTATION.json. None that is there is overwritten."""

    def __init__(self, path: Path) -> None:
        """Create the folder unless it exists.

        Raises:
            OSError: it cannot be created.
        """
        path.mkdir(parents=True, exist_ok=True)
        self._path = path

    def keep(self, name: str, record: Record) -> None:
        """Write the record of the match `name`.

        Raises:
            OSError: the file exists, or cannot be written.
        """
        with (self._path / f"{name}.json").open("x", encoding="utf-8") as file:
            file.write(record_to_json(record))
