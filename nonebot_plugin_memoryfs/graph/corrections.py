"""What searches found, as it may be shown: what no longer holds shows as corrected (R1.19)."""

from collections.abc import Sequence
from dataclasses import replace

from ..search.corrections import corrected, superseded_objects
from ..search.turn_log import Hit
from .recall import Search


def corrected_hits(search: Search, hits: Sequence[Hit]) -> list[Hit]:
    """Hits as they may be shown now."""
    ids = {hit.turn_id for hit in hits if hit.turn_id is not None}
    objects = superseded_objects(search.connection, ids, search.places)
    return [
        replace(hit, text=corrected(hit.text, objects[hit.turn_id])) if hit.turn_id in objects else hit
        for hit in hits
    ]
