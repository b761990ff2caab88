"""Functions that a query may name although they do more than read its data, by engine.

A tree shows that a function is called, not what it does, so that these have to be named. Where an engine names its own
functions by family (PostgreSQL's ``pg_…``), the family is refused and those that only tell something are spared; where
reading outside is done by table functions (DuckDB), those that only make rows are allowed and all others refused.
Sources: PostgreSQL 15's catalogue (``pg_proc.provolatile = 'v'``) and contributed modules, MariaDB 10.11's and MySQL
8's manuals, DuckDB 2.0's ``duckdb_functions()``, SQLite's shell and extensions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Reach", "reach_of"]


@dataclass(frozen=True, slots=True)
class Reach:
    """What an engine's functions may not do.

    Attributes:
        refused: Functions refused by name, in lower case.
        families: Names refused by their form; None for none.
        spared: Names of such a form that only tell something; None for none.
        tables: The only functions that a query may read rows from; None for all that are not refused.
        files: Names of tables that are files to the engine; None where there are none.
    """

    refused: frozenset[str] = frozenset()
    families: re.Pattern[str] | None = None
    spared: re.Pattern[str] | None = None
    tables: re.Pattern[str] | None = None
    files: re.Pattern[str] | None = None

    def refuses(self, function: str, *, as_table: bool) -> bool:
        """Whether a call of that function is refused.

        Args:
            function: Its name, in lower case.
            as_table: Whether the query reads rows from it.
        """
        if function in self.refused or (as_table and self.tables is not None and not self.tables.fullmatch(function)):
            return True
        in_family = self.families is not None and self.families.fullmatch(function) is not None
        return in_family and not (self.spared is not None and self.spared.fullmatch(function))


_SQLITE = Reach(frozenset("load_extension readfile writefile edit fts3_tokenizer fsdir lsdir zipfile csv".split()))

_POSTGRES = Reach(
    refused=frozenset(
        # Sequences and settings; SQL in a text, which this guard does not see; large objects; damaged rows "repaired".
        "nextval setval set_config ts_stat ts_rewrite connectby xpath_table loread lowrite heap_force_kill"
        " heap_force_freeze autoprewarm_start_worker autoprewarm_dump_now postgres_fdw_disconnect"
        # Extensions that reach the network or a shell.
        " postgres_fdw_disconnect_all http http_get http_post http_put http_delete http_head http_patch".split()
    ),
    families=re.compile(
        r"pg_.*|lo_.*|dblink.*|crosstab.*|binary_upgrade_.*|brin_.*|gin_clean.*"
        r"|(?:query|table|cursor|schema|database)_to_xml.*"
    ),
    spared=re.compile(
        r"pg_(?:typeof|size_pretty|size_bytes|column_size|column_compression|table_size|relation_size"
        r"|total_relation_size|indexes_size|database_size|tablespace_size|backend_pid|client_encoding|has_role"
        r"|collation_for|char_to_encoding|encoding_to_char|describe_object|is_in_recovery|postmaster_start_time"
        r"|conf_load_time|timezone_names|timezone_abbrevs|options_to_table|partition_tree|partition_ancestors"
        r"|partition_root|input_is_valid|input_error_info|current_snapshot|get_(?!wal).*|.*_is_visible)"
    ),
)

_MYSQL = Reach(
    refused=frozenset(
        # Waits and locks, files, sequences.
        "sleep benchmark get_lock release_lock release_all_locks master_pos_wait source_pos_wait master_gtid_wait"
        " wait_for_executed_gtid_set wait_until_sql_thread_after_gtids wsrep_sync_wait_upto_gtid load_file nextval"
        # Hints that lift the time limit; functions that run a command, or SQL given as a text.
        " setval set_var max_execution_time sys_exec sys_eval sys_set spider_direct_sql spider_bg_direct_sql"
        " spider_copy_tables spider_flush_table_mon_cache".split()
    ),
    families=re.compile(r"(?:group_replication|asynchronous_connection_failover|keyring|audit_log|mysql_firewall)_.*"),
)

_DUCKDB = Reach(
    refused=frozenset("getenv nextval setval write_log sleep_ms json_execute_serialized_sql".split()),
    families=re.compile(
        r"(?:read|write|scan|load|st_read|sqlite|postgres|mysql|iceberg|delta|parquet)_.*|glob|query.*"
    ),
    tables=re.compile(
        r"range|generate_series|unnest|explode|repeat|repeat_row|json_each|json_tree|summary|histogram"
        r"|histogram_values|pg_timezone_names|icu_calendar_names"
        r"|duckdb_(?:columns|constraints|databases|functions|indexes|keywords|schemas|sequences|tables|types|views)"
        r"|pragma_(?:collations|show|table_info|version)"
    ),
    files=re.compile(
        r".*(?:[/\\\\*?]|\.(?:csv|tsv|txt|json|jsonl|ndjson|parquet|arrow|xlsx|db|duckdb|gz|zst)$).*", re.DOTALL
    ),
)

#: Of engines that this project has no list for: what is refused anywhere, and a few of their own.
_OTHERS = Reach(
    refused=_SQLITE.refused
    | _POSTGRES.refused
    | _MYSQL.refused
    | frozenset("openrowset openquery opendatasource openxml xp_cmdshell".split()),
    families=_POSTGRES.families,
    spared=_POSTGRES.spared,
)

_BY_DIALECT = {"sqlite": _SQLITE, "postgres": _POSTGRES, "mysql": _MYSQL, "duckdb": _DUCKDB}


def reach_of(dialect: str) -> Reach:
    """What the functions of an engine may not do, by sqlglot's name of its dialect."""
    return _BY_DIALECT.get(dialect.lower(), _OTHERS)
