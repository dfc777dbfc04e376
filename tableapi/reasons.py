"""Every reason of an error of the engine: stage -> reason -> (status, meaning, remedy).

`tools/pages.py` makes `docs/reference/errors.md` of it and of `product/reasons.py`, so links are relative to that page.
"""

# A formatter would put each part of an entry on a line of its own.
# fmt: off
REASONS: dict[str, dict[str, tuple[int, str, str]]] = {
    "Credentials and rights": {
        "no_key": (401, "The request has no valid API key or, in a project, no valid application key.",
            "Send it in the `X-API-Key` header. A project's key is in `GET /api/v2/config`; the keys of an access file "
            "are in that file."),
        "no_session": (401, "There is no session, or it has expired or was revoked (scope `account`).",
            "Sign in again."),
        "bad_token": (401, "The signed token is malformed, comes from another issuer, is for another audience, is not "
            "valid yet, or has a signature or algorithm that is not accepted (scope `account`).",
            "`message` and `WWW-Authenticate` name the cause. Get another token from the issuer."),
        "token_expired": (401, "The signed token has expired (scope `account`).", "Get another one from the issuer."),
        "unknown_role": (401, "The signed token contains a role that is not served (scope `account`).",
            "Correct the claim, or `JWT_ROLES`."),
        "keys_unavailable": (503, "The token issuer's public keys could not be read yet.",
            "Repeat after `Retry-After`; check `JWT_JWKS`."),
        "database_role": (403, "The PostgreSQL role for this caller does not exist, or the connection user is not a "
            "member of it.",
            "Grant the role: `GRANT <role> TO <user>`."),
        "forbidden": (403, "The role lacks the right to do this, or PostgreSQL rejected the request.",
            "Use an account that has the right, or change `policy.py` or the access file."),
        "insufficient_scope": (403, "The agent's token does not include the [scope](../guides/agents.md#scopes) of "
            "this tool; `needed` and the `WWW-Authenticate` header name it.",
            "Sign in again and allow it."),
        "mcp_read_only": (403, "[Agents can only read](../guides/agents.md#agents-that-only-read) on this server, "
            "which is the default with `--open`.",
            "Use a tool that reads, or ask the operator to start the server with `MCP_READ_ONLY=off`."),
        "no_explain": (403, "The role may not ask [why a request is rejected](wire.md#why-a-request-is-rejected).",
            "Ask with full rights, or give the role `\"explain\": true` in the access file, or name it in `explains` "
            "of the policy."),
        "bad_origin": (403, "A page on another site sent a message to `/mcp`.",
            "Add the page's origin to `CORS_ORIGINS`, or send the message from a program."),
        "not_recorded": (403, "A role with recorded reads requested a path from a table without accounts to one with "
            "accounts, or such a relation with an offset, so the accounts would be missing from the record of the "
            "read.",
            "Use `related` without an offset, or read that table itself."),
        "bad_host": (403, "The server requires no secret (`--open`, or `anonymous` in an access file), and `Host` in "
            "the request is not one of its names, so a page on another site could have sent it.",
            "Use `localhost` or an IP address, or set `PUBLIC_URL` to the server's address."),
        "field_not_writable": (403, "The caller may not write this column, or may not write this value to it; "
            "`context.field` names the column.",
            "Omit it from the record."),
        "row_rule": (403, "The record, before or after the change, is outside the rows that the role may write.",
            "Check its owner columns."),
        "tenant_mismatch": (403, "The request contains an account or user other than the session's.",
            "The attempt is recorded in the audit log. Omit the field: the session determines its value."),
        "not_nested": (403, "A table with a write hook cannot be written as part of another record.",
            "Write it with a separate request."),
        "no_upsert": (403, "A table with a write hook does not support `upsert`.",
            "Use POST to create and PATCH to change."),
        "not_created": (403, "PostgreSQL accepted the insert, but a rule or trigger on the table dropped the row.",
            "Check which rows the table accepts."),
    },
    "Requests": {
        "bad_request": (400, "The request cannot be understood; `message` gives the reason.", "Correct the request."),
        "bad_http": (400, "The request is not valid HTTP/1.1, has no header `Host`, or a transfer coding other than "
            "`chunked`; `message` gives the reason, and the connection is closed.",
            "Send it with an HTTP library."),
        "query_too_long": (400, "The query string is longer than allowed; `message` gives the limit.",
            "Send the options as JSON with [a tunnelled POST](wire.md#11-tunnelling)."),
        "too_many_options": (400, "The query has more than 500 options.", "Send fewer."),
        "header_too_long": (400, "A header is longer than allowed; `message` gives the limit.",
            "Shorten the header. **431** All headers together, with the path, are; send fewer."),
        "answer_too_large": (400, "The response would exceed its limit of rows, including related rows, or of bytes; "
            "`context.rows` and `context.bytes` give the limits.",
            "Request less: use a lower `limit` or `<relation>.limit`, or fewer relations or fields. XML is built from "
            "at most 4 MB of JSON, files and lists of identifiers from 16 MB, and results of agents' tools from 8 MB."),
        "bad_path": (400, "The path contains a NUL character, or an identifier for a create.",
            "POST records to the table itself."),
        "bad_encoding": (400, "The path, the query or a CSV body is not valid UTF-8.",
            "Encode it as UTF-8, percent-encoded in URLs."),
        "duplicate_header": (400, "A header that may be sent only once was sent twice with different values.",
            "Send it once."),
        "no_body": (400, "The connection ended before the announced body arrived.", "Send the request again."),
        "slow_body": (408, "The body arrived too slowly.",
            "Send it again over a faster connection or in smaller parts."),
        "bad_json": (400, "The body is not valid JSON, or not the object that the call expects.",
            "Correct the body; `message` gives the position."),
        "bad_csv": (400, "The CSV body cannot be read.",
            "Send a header line with column names, and quote cells as in RFC 4180."),
        "bad_multipart": (400, "The multipart body is malformed.",
            "Let the HTTP library build it and set the boundary."),
        "no_file": (400, "The upload has no file, or too many files, in the expected field.",
            "Send the file in the field `files`."),
        "unsupported_media_type": (415, "The call does not accept this content type.",
            "Send `application/json`; tables also accept `text/csv`. Compressed bodies are not accepted either; send "
            "the body without `Content-Encoding`."),
        "format_not_installed": (501, "The package that writes this file format is not installed on the server.",
            "Request CSV, or install the `xlsx` [extra](../guides/install.md#extras)."),
        "too_large": (413, "The body is larger than allowed; `message` gives the limit.",
            "Send less, or raise `BODY_BYTES`."),
        "batch_too_large": (413, "The request has more than the allowed 1,000 records.", "Send them in parts."),
        "bad_option": (400, "An option has the wrong type or an unknown boolean value, or cannot be combined with "
            "another option.",
            "`context.option` names it. See [options](wire.md#3-options)."),
        "no_database": (400, "An [MCP](../guides/agents.md) tool was called without `database` on a server with "
            "several databases.",
            "Specify one."),
        "unknown_tool": (400, "There is no tool with this name.",
            "The tool list contains the tools that the caller can use. In [MCP](../guides/agents.md), this is the "
            "protocol error -32602."),
        "bad_filter": (400, "The filter cannot be parsed or is too large; `context.position` gives the position, "
            "counted in characters from 0.",
            "Correct the filter there. See [filters](wire.md#4-filters)."),
        "bad_operator": (400, "The operator does not exist for the field's type, for example `<` on JSON.",
            "Use `=` or a text operator."),
        "bad_value": (400, "A value does not match its field, which `context.field` names.",
            "Send a value of the column's type. In a filter, `context.position` gives its position, counted in "
            "characters from 0."),
        "unknown_option": (400, "An option is unknown, and `STRICT_OPTIONS` or the request demands strict handling.",
            "`context.options` names it, and the message shows the correct form. Correct the option, omit it, or send "
            "`Prefer: handling=lenient`."),
        "unknown_preference": (400, "A preference is unknown, and the request demands strict handling.",
            "`context.preferences` names it. Correct it or omit it."),
        "unknown_timezone": (400, "PostgreSQL has no time zone with this name.",
            "Send a name such as `Europe/Oslo` or `UTC`."),
        "bad_range": (400, "The range in the `Range` header ends before it begins.",
            "Send the first and the last position, counted from 0."),
        "too_many_affected": (400, "The write would affect more records than `max_affected` permits, and nothing was "
            "kept.",
            "`context.records` is the number of affected records. Use a narrower filter or a larger limit."),
        "no_dry_run": (400, "The table has a hook for this verb, and its effects cannot be rolled back.",
            "Omit `dry_run`."),
        "no_batch": (400, "The table has a hook for this verb, and its effects cannot be rolled back.",
            "Send the write as a separate request."),
        "batch_step": (400, "A request of a batch failed; the response has its status.",
            "Nothing was kept; correct that request. `context.index` is its position, counted from 0, `context.id` its "
            "name, and `context.error` the error that it would get outside a batch."),
        "bad_reference": (400, "A `$ref` in a batch does not refer to an earlier request, is malformed, or finds no "
            "value in the response.",
            "`context.reference` is its text. Request the field with `fields` in the request to which the reference "
            "points."),
        "bad_pattern": (400, "The regular expression after `~` cannot be parsed.",
            "Escape literal characters, or use `CONTAINS`."),
        "slow_pattern": (400, "The regular expression exceeded the time limit.",
            "Add conditions that select fewer records, or use `CONTAINS` or `STARTS WITH`."),
        "bad_cast": (400, "`CAST` does not support the type, or the column cannot be converted to it.",
            "`message` lists the types."),
        "bad_alias": (400, "The text after `AS` is not a name.",
            "Use letters, digits and `_`, or put the name into double quotes."),
        "unknown_function": (400, "`fields` or `order` uses an unknown function.",
            "[Expressions](wire.md#42-expressions) lists them."),
        "unknown_language": (400, "The database has no text search configuration with this name for `MATCHES ...",
            "USING`. Omit `USING`, or use one of the configurations that psql's `\\dF` lists."),
        "no_search": (400, "`RANK` or `HIGHLIGHT` has no words to look for.", "Add `MATCHES` to the filter."),
        "missing_extension": (400, "`SIMILAR` needs an extension that the database does not have; `extension` names "
            "it.",
            "An administrator adds it with `create extension pg_trgm`."),
        "many_records": (400, "The path leads to many records, but a single value is needed.",
            "Use an aggregate, or `related`."),
        "missing_param": (400, "The filter uses `:name`, but `params` does not contain it.", "Add it to `params`."),
        "bad_params": (400, "The parameters of a routine are invalid: no routine of this name takes them, or the "
            "closing parenthesis is missing.",
            "`context.candidates` lists how it is called. See [routines](wire.md#13-routines)."),
        "ambiguous_routine": (400, "Several routines with this name take these parameters, and PostgreSQL could not "
            "choose either.",
            "`context.candidates` lists them. Send parameters by name, or values of the types of one of them. See "
            "[routines](wire.md#13-routines)."),
        "bad_order": (400, "`order` cannot be parsed, has more than 20 terms, or uses a to-many relation.",
            "Write terms of the form `field [asc|desc]`, optionally with `nulls first` or `nulls last`, separated by "
            "commas."),
        "bad_aggregate": (400, "The aggregate does not exist, needs a field, as in `SUM(amount)`, or is in `filter` "
            "instead of `having`.",
            "Use `COUNT`, `SUM`, `AVG`, `MIN` or `MAX`."),
        "bad_window": (400, "A window function cannot be parsed, has no order, or is used where there are no pages: in "
            "`filter`, `order`, groups, relations, reads by identifier, writes and NDJSON.",
            "Write `SUM(total) OVER (PARTITION BY customer_id ORDER BY placed) AS running` into `fields` of a list; "
            "see [window functions](wire.md#61-window-functions-over-a-page)."),
        "not_grouped": (400, "A field is neither in `group` nor an aggregate.", "Add it to `group`, or aggregate it."),
        "bad_cursor": (400, "The cursor belongs to another order or has been altered.", "Start without a cursor."),
        "bad_identifier": (400, "The identifier is missing or lacks part of a composite key.",
            "Send every key column."),
        "bad_records": (400, "The records are not objects in an array or under `resource`, or there are more than the "
            "call accepts.",
            "Correct the body."),
        "no_records": (400, "The write has no records, `ids` or `filter`.",
            "Send `{\"resource\": [{...}]}`; to delete every row send `force=true`."),
        "no_fields": (400, "The record contains no known column.",
            "Check the spelling of the names; `{}` creates a row of defaults."),
        "duplicate_field": (400, "A record contains a column in two spellings, or two fields of the response would "
            "have the same name, which is in `context.field`.",
            "Send the column once, or rename a field with `AS`."),
        "no_table": (400, "The path of the write does not contain a table.", "Use `/_table/<table>`."),
        "unknown_webhook": (404, "The dataset has no webhook with this name.", "GET `/_webhooks` lists them."),
        "unknown_event": (404, "The webhook's log has no event with this id.",
            "Events are removed after `WEBHOOKS_KEEP_SECONDS`; use an event from the list."),
        "no_changes": (409, "Changes to this table cannot be followed: the policy does not mark it with `changes`, its "
            "triggers are missing, or the server's user may not read the change log.",
            "Read the table again instead; the operator enables streams with [`tableapi changes "
            "install`](commands.md#tableapi-changes)."),
        "not_unique": (400, "`id_field` names a column that is not unique.",
            "Choose a unique column. The error also occurs for an upsert if PostgreSQL finds no unique index for it: "
            "use POST or PATCH instead."),
        "no_primary_key": (400, "The table has no primary key, so its records have no identifier and no cursor, and "
            "responses to writes contain no relations.",
            "Use a filter, or `limit` and `offset`."),
        "bad_expression": (400, "A value `{\"expression\": ...}` is not one of `NOW()`, `CURRENT_DATE` and "
            "`CURRENT_TIMESTAMP`, or the column is not a date or time column; or a value names a "
            "[change](wire.md#9-writes) that does not fit its column.",
            "Send a plain value."),
        "bad_type": (400, "PostgreSQL does not support this operation for the column's type, or for a value that a "
            "view, a computed field or a function reads.",
            "Remove the column, named by `context.field` if PostgreSQL names it, from `fields`, `filter`, `order` and "
            "`group`."),
        "sealed_field": (400, "The column is encrypted: it can be read, but not filtered, ordered or grouped.",
            "Omit it from these options."),
        "too_deep": (400, "Relations (in fields, conditions, order or groups) or nested records are more than three "
            "levels deep.",
            "Use several requests. The error also occurs if a stored JSON value is nested more than 1,024 levels deep, "
            "which only JSON responses support: read it as JSON, or omit its field."),
        "too_many_relations": (400, "The request has more than ten relations, or uses `related=*` on a table with more "
            "than 1,000.",
            "Request them by name in several requests."),
        "too_many_fields": (400, "The input of a script or tool has more than 1,000 fields.", "Send fewer."),
        "too_many_records": (400, "The request has too many nested records.", "Send them in parts."),
        "too_complex": (400, "The whole request, including `having`, relation options and named values, has more than "
            "100 conditions, 1,000 values in lists, 300 renamed or computed fields, or 100 terms of `order` and "
            "`group`; `context` gives the limit.",
            "It is also possible that PostgreSQL found the statement too complex. Request less, or use several "
            "requests."),
        "bad_idempotency_key": (400, "`Idempotency-Key` is empty or longer than 64 characters.",
            "Send 1 to 64 characters."),
        "invalid": (422, "Fields of a call or hook are invalid; `context.fields` maps each to its message.",
            "Correct these fields. `context.field_errors` maps a field to the `case` of its message and the numbers in "
            "it, such as `{\"name\": {\"case\": \"string_too_long\", \"max_length\": 200}}`. For checks of types and "
            "lengths, the case is the [pydantic type](https://docs.pydantic.dev/latest/errors/validation_errors/) of "
            "the error. `context.case` is that of the first field, unless the error has its own message."),
    },
    "What was named": {
        "not_found": (404, "There is no such record or page, or the caller may not see it.",
            "Check the identifier and the rights."),
        "no_mcp": (404, "The server does not have the package for [MCP](../guides/agents.md).",
            "Install the `mcp` [extra](../guides/install.md#extras)."),
        "unknown_table": (404, "There is no such table, or the policy does not list it.",
            "`GET /_table` lists the tables that the caller may use."),
        "unknown_field": (400, "The table has no such column, or the caller may not see it; `context.field` names it.",
            "`/_spec` lists the columns."),
        "unknown_relation": (400, "The table has no such relation, or its table is not visible.",
            "Relations are named `<table>_by_<column>`."),
        "unknown_resource": (404, "The dataset or its schema has no such resource.",
            "Use `_table`, `_schema`, `_func`, `_proc` or `_spec`."),
        "unknown_routine": (404, "There is no such function or procedure, or it is not in `PUBLIC_ROUTINES`.",
            "Add it to this setting."),
        "unknown_service": (404, "There is no such call or dataset.", "`GET /api/v2/_spec` lists them."),
        "schema_changed": (404, "The table was changed while the request was running.", "Send the request again."),
        "bad_lines": (400, "Some lines of an imported file cannot be stored, and nothing was kept.",
            "`context.errors` contains `line`, `reason`, `message` and, if known, `field` for the first hundred. "
            "Correct these lines, or send `continue=true` to keep the others."),
        "import_not_permitted": (403, "This role cannot import a file into this table, because rules are checked "
            "record by record.",
            "`message` names the rule. Send the records with POST."),
        "header_without_effect": (400, "With `Prefer: handling=strict`, the header selects something that this server "
            "does not support.",
            "`message` names the alternative."),
        "not_acceptable": (406, "With `Prefer: handling=strict`, none of the formats in `Accept` is available.",
            "Send `application/json`, `text/csv` or `application/x-ndjson`."),
        "changes_data": (405, "A GET by a caller with a [database role](../guides/row-security.md) uses a view or "
            "function that changes data.",
            "Send a POST to the function, or write to the table."),
        "method_not_allowed": (405, "The path does not support this verb.", "Use one of those in the `Allow` header."),
    },
    "What is stored": {
        "required": (400, "A required column is missing or null.",
            "Send a value for it. The message names the column if the caller may read or write it."),
        "check": (400, "A value violates a check constraint of the table or a view.",
            "Send a value that the table allows; callers with full rights find the constraint's name in "
            "`context.postgres`."),
        "rule": (400, "A trigger or function in the database raised an error; `message` is its text, and "
            "`context.detail` and `context.hint` come from its `RAISE`.",
            "Follow these texts."),
        "generated": (400, "The database always generates this column.",
            "Omit it from the record, and use PATCH to change records by it: an upsert by such a column would create a "
            "new record every time."),
        "not_writable": (400, "The table or view cannot be written in this way, or the column in `context.field` "
            "cannot, such as a computed column of a view.",
            "Leave the column out, or write to the underlying tables."),
        "not_populated": (409, "The materialized view has not been populated yet.",
            "Its owner can populate it with `REFRESH MATERIALIZED VIEW`."),
        "definition_fails": (409, "A view, trigger or function fails regardless of the request, or a function returns "
            "two columns with the same name (`context.field`).",
            "Inform the administrators of the database; callers with full rights find PostgreSQL's message in "
            "`context.postgres`."),
        "database_refuses": (400, "PostgreSQL does not support this operation for the value, or for the table as it is "
            "defined.",
            "Change the value, or ask the administrators of the database; callers with full rights find PostgreSQL's "
            "message in `context.postgres`."),
        "unsupported": (501, "The database is distributed over several machines by Citus, which cannot combine the "
            "rows of this request.",
            "Filter each table by the column that it is distributed by, or read relations with requests of their "
            "own."),
        "replaced_by_rule": (400, "A rule on the table replaces the statement and returns no row.",
            "Write to the table that the rule redirects to."),
        "duplicate": (409, "A record with this unique value already exists.",
            "Change that record, or use `upsert=true`."),
        "reference": (409, "The record refers to one that does not exist, or other records refer to it.",
            "Create or delete those first."),
        "reference_required": (400, "A nested record cannot be detached, because its reference is required.",
            "Send `allow_related_delete=true` to delete it."),
        "conflict": (409, "The current state does not allow this; `message` gives the reason.",
            "Read the record again."),
        "stale": (412, "`If-Match` names an older version of the record.",
            "Read the record again, and repeat the change on the new version."),
        "batch": (400, "A request with several records failed (code 1000).",
            "`context.error` contains the failed positions, `context.reasons` the reason for each, and "
            "`context.resource` one entry for each attempted record. Correct the failed records."),
        "still_running": (409, "The first request with this `Idempotency-Key` is still running; the status is 503 "
            "while its state is unknown.",
            "Try again later."),
        "answer_lost": (409, "The first request with this `Idempotency-Key` ended without a stored response and cannot "
            "be repeated safely.",
            "Check the current state before you send it again."),
        "sealed": (500, "An encrypted value uses a key that is not in `SECRET_KEYS`, or the value has been altered.",
            "Restore the key; see [changing a key](../guides/backup.md#change-a-key)."),
    },
    "Load and limits": {
        "too_many_streams": (429, "The caller has `CHANGES_STREAMS_PER_CALLER` open change streams, the user "
            "`CHANGES_STREAMS_PER_USER`, the account `CHANGES_STREAMS_PER_ACCOUNT`, or the worker (503) "
            "`CHANGES_STREAMS`.",
            "Close one, or wait the number of seconds in `Retry-After`; the table itself can still be read."),
        "rate_limit": (429, "The caller has sent too many requests; `X-RateLimit-*` give the limits.",
            "Wait the number of seconds in `Retry-After`."),
        "busy": (503, "The server or the database is busy or cannot be reached.", "Repeat after `Retry-After`."),
        "time_limit": (503, "The request or its statement took too long.",
            "Request less: use a narrower filter or fewer relations."),
        "read_only": (503, "Nothing can be written, because the database is read-only or its disk is full.",
            "Reads still work; repeat the write later."),
        "database_fault": (503, "PostgreSQL reports an internal error, such as damaged data.",
            "Inform its operators; if you repeat the request, it may fail again."),
        "client_gone": (499, "The client closed the connection before the response was sent.",
            "This appears only in logs and metrics. No action is needed."),
        "internal": (500, "An internal error occurred in the server.", "Report it with the `request_id`."),
    },
}
