"""The export of UID's mouse matrix: a mat of eight coils that read a tag and its temperature.

Sources: the R package uid (``read_raw_uid_csv``, ``extract_base_name``,
``find_raw_export_files``, ``calculate_activity`` and the sample that it carries, which is
simulated in the export's form), and the stream that the mat itself sends, as the parser of
uid_python_api tells it.

Certain: CSV with a header of ``Date``, ``RFID``, ``Zone``, ``Matrix Name``, ``Session Name`` and
``Temperature``; ``Date`` as ``%Y/%m/%d %H:%M:%S``, without a zone; a session named by its start
and end, ``2025_01_01_00_00_00_thru_2025_01_02_00_00_00``; long sessions in parts,
``_1_of_2.CSV``, in capitals, each with its header; tags of eight hexadecimal digits; zones 1 to
8, four along one side and back along the other; temperatures missing and absurd.

Not certain: the order of the columns (readers take them by name; the sample has the one used
here); that the clock is the exporting computer's local one (nothing says a zone, and the software
is a desktop program's); that lines end in CRLF; that a temperature below what the tag can tell is
``<25`` in the export as in the stream.
"""

import csv
from pathlib import Path

import pandas as pd

from log_writers.wall import local

RESOLUTION = 1000
PLACES = dict(enumerate([(0, 0), (1, 0), (2, 0), (3, 0), (3, 1), (2, 1), (1, 1), (0, 1)], 1))
"""Where each zone is, in coils, by the tables of the R package."""
COLUMNS = ("Date", "RFID", "Zone", "Matrix Name", "Session Name", "Temperature")


def write(
    folder: Path, reads: pd.DataFrame, zone: str, parts: int = 2, columns: tuple[str, ...] = COLUMNS
) -> list[Path]:
    """Write a session in parts; the antenna is the zone of the mat."""
    walls = local(reads["time"], zone)
    stamp = "%Y_%m_%d_%H_%M_%S"
    session = f"{walls[0]:{stamp}}_thru_{walls[-1]:{stamp}}" if walls else "empty"
    temperatures = ("37.34", "", "36.90", "<25", "40.00")
    rows = [
        {
            "Date": f"{wall:%Y/%m/%d %H:%M:%S}",
            "RFID": tag,
            "Zone": antenna,
            "Matrix Name": "matrix1",
            "Session Name": session,
            "Temperature": temperatures[index % len(temperatures)],
        }
        for index, (wall, tag, antenna) in enumerate(
            zip(walls, reads["tag"], reads["antenna"], strict=True)
        )
    ]
    size = -(-len(rows) // parts) or 1
    files = []
    for part in range(parts):
        path = folder / f"{session}_{part + 1}_of_{parts}.CSV"
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\r\n")
            writer.writeheader()
            writer.writerows(rows[part * size : (part + 1) * size])
        files.append(path)
    return files
