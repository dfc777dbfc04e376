"""Checks of the conformance suite that a server of tables cannot pass, with the reason.

The suite was written against a reference server. A check that needs a tool, resource or prompt of that server, or an
optional capability that this server does not declare, asks for nothing that the protocol demands of it.
"""

from __future__ import annotations

# The reason, and either whole scenarios or single checks of a scenario.
FIXTURE_TOOL = "calls a tool of the reference server, such as test_simple_text"
FIXTURE_RESOURCE = "reads a resource of the reference server, such as test://static-text"
NO_PROMPTS = "the server has no prompts, and does not declare the capability"
NO_LOGGING = "the server sends no log messages to clients, and does not declare the capability"
NO_COMPLETION = "the server completes no arguments, and does not declare the capability"
NO_SUBSCRIPTIONS = "resources do not change under a subscription, and the server does not declare the capability"
NO_SESSIONS = "a recommendation about sessions; each message is complete in itself"
NO_HEADER_ARGUMENTS = "no argument of a tool is sent as a header (x-mcp-header)"

SCENARIOS = {
    "completion-complete": NO_COMPLETION,
    "logging-set-level": NO_LOGGING,
    "prompts-list": NO_PROMPTS,
    "prompts-get-simple": NO_PROMPTS,
    "prompts-get-with-args": NO_PROMPTS,
    "prompts-get-embedded-resource": NO_PROMPTS,
    "prompts-get-with-image": NO_PROMPTS,
    "resources-subscribe": NO_SUBSCRIPTIONS,
    "resources-unsubscribe": NO_SUBSCRIPTIONS,
    "resources-read-text": FIXTURE_RESOURCE,
    "resources-read-binary": FIXTURE_RESOURCE,
    "resources-templates-read": FIXTURE_RESOURCE,
    "tools-call-simple-text": FIXTURE_TOOL,
    "tools-call-image": FIXTURE_TOOL,
    "tools-call-audio": FIXTURE_TOOL,
    "tools-call-embedded-resource": FIXTURE_TOOL,
    "tools-call-mixed-content": FIXTURE_TOOL,
    "tools-call-with-logging": NO_LOGGING,
    "tools-call-error": FIXTURE_TOOL,
    "tools-call-with-progress": FIXTURE_TOOL,
    "tools-call-sampling": FIXTURE_TOOL,
    "tools-call-elicitation": FIXTURE_TOOL,
    "elicitation-sep1034-defaults": FIXTURE_TOOL,
    "elicitation-sep1330-enums": FIXTURE_TOOL,
    "json-schema-2020-12": FIXTURE_TOOL,
    "server-sse-polling": NO_SESSIONS,
    "http-custom-header-server-validation": NO_HEADER_ARGUMENTS,
    "input-required-result-basic-elicitation": FIXTURE_TOOL,
    "input-required-result-basic-sampling": FIXTURE_TOOL,
    "input-required-result-basic-list-roots": FIXTURE_TOOL,
    "input-required-result-request-state": FIXTURE_TOOL,
    "input-required-result-multiple-input-requests": FIXTURE_TOOL,
    "input-required-result-multi-round": FIXTURE_TOOL,
    "input-required-result-missing-input-response": FIXTURE_TOOL,
    "input-required-result-non-tool-request": NO_PROMPTS,
    "input-required-result-result-type": FIXTURE_TOOL,
    "input-required-result-tampered-state": FIXTURE_TOOL,
    "input-required-result-capability-check": FIXTURE_TOOL,
    "input-required-result-ignore-extra-params": FIXTURE_TOOL,
}
CHECKS = {
    "sep-2549-prompts-list-caching-hints": NO_PROMPTS,
    "sep-2575-server-rejects-undeclared-capability": FIXTURE_TOOL,
    "sep-2575-missing-capability-http-400": FIXTURE_TOOL,
    "sep-2575-http-server-no-independent-requests-on-stream": FIXTURE_TOOL,
    "sep-2575-server-no-log-without-loglevel": FIXTURE_TOOL,
    "sep-2575-server-sends-subscription-ack": NO_SUBSCRIPTIONS,
    "sep-2575-server-tags-subscription-id": NO_SUBSCRIPTIONS,
    "sep-2575-server-honors-notification-filter": NO_SUBSCRIPTIONS,
    "sep-2575-server-sends-prompts-list-changed-on-subscription": NO_SUBSCRIPTIONS,
    "sep-2575-server-sends-tools-list-changed-on-subscription": NO_SUBSCRIPTIONS,
    "server-sse-multiple-streams-session": NO_SESSIONS,
}
