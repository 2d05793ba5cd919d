"""What needs every room: erasing, exporting, backing up, checking, restoring, importing (R6.5–R6.6, R7.4)."""

from .archive import open_archive as open_archive
from .backup import delete_older as delete_older
from .backup import write_backup as write_backup
from .erasing import Erasure as Erasure
from .export import Export as Export
from .export import export_person as export_person
from .imports import Imported as Imported
from .imports import Importer as Importer
from .imports import Wish as Wish
from .restoring import Restored as Restored
from .restoring import restore as restore
from .room import BACKUPS as BACKUPS
from .room import Upkeep as Upkeep
from .verify import Report as Report
from .verify import verify as verify
