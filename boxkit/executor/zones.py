"""Time zones on the wire: what tells one from another, never an object."""

from __future__ import annotations

import datetime
import re
from typing import Any

from boxkit.executor.claims import CorruptValue, Unsupported, list_of, text_of, whole_of

__all__ = ["zone_head", "zone_of"]


def zone_head(zone: datetime.tzinfo | None) -> Any:
    """A time zone as JSON."""
    if zone is None:
        return None
    if isinstance(zone, datetime.timezone):
        if zone is datetime.UTC:
            return ["utc"]
        offset = zone.utcoffset(None)
        name = zone.tzname(None)
        plain_name = datetime.timezone(offset).tzname(None)
        return ["offset", offset.days * 86_400_000_000 + offset.seconds * 1_000_000 + offset.microseconds] + (
            [name] if name != plain_name else []
        )
    module = type(zone).__module__
    if module.startswith("zoneinfo") and getattr(zone, "key", None):
        return ["zoneinfo", zone.key]  # type: ignore[attr-defined]  # known by its module, as the package may not be here
    if module.startswith("pytz"):
        if type(zone).__name__ == "_FixedOffset":
            return ["pytz-offset", int(zone._minutes)]  # type: ignore[attr-defined]  # known by its module, as the package may not be here
        if getattr(zone, "zone", None):
            return ["pytz", zone.zone]  # type: ignore[attr-defined]  # known by its module, as the package may not be here
    if module.startswith("dateutil") and type(zone).__name__ == "tzutc":
        return ["dateutil-utc"]
    raise Unsupported(f"a time zone of type {module}.{type(zone).__name__} cannot leave the sandbox; use a named zone")


def zone_of(head: Any) -> datetime.tzinfo | None:
    """The time zone that `zone_head` wrote."""
    if head is None:
        return None
    kind, *rest = list_of(head)
    if kind == "utc":
        return datetime.UTC
    if kind == "offset":
        offset = datetime.timedelta(microseconds=whole_of(rest[0]))
        return datetime.timezone(offset, text_of(rest[1])) if len(rest) > 1 else datetime.timezone(offset)
    if kind == "pytz-offset":
        import pytz  # type: ignore[import-untyped,unused-ignore]  # typed only where its stubs are installed

        return pytz.FixedOffset(whole_of(rest[0]))  # type: ignore[no-any-return,unused-ignore]  # typed only where its stubs are installed
    if kind == "dateutil-utc":
        from dateutil.tz import tzutc  # type: ignore[import-untyped,unused-ignore]  # typed only where its stubs are installed

        return tzutc()  # type: ignore[no-any-return,unused-ignore]  # typed only where its stubs are installed
    return _named_zone(kind, text_of(rest[0]))


def _named_zone(kind: Any, name: str) -> datetime.tzinfo:
    if not re.fullmatch(r"[A-Za-z0-9_+-]{1,40}(/[A-Za-z0-9_+-]{1,40}){0,3}", name):
        raise CorruptValue("not a time zone's name")
    if kind == "zoneinfo":
        import zoneinfo

        return zoneinfo.ZoneInfo(name)
    if kind == "pytz":
        import pytz

        zone: datetime.tzinfo = pytz.timezone(name)
        return zone
    raise CorruptValue("no such kind of time zone")
