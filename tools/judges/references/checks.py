"""What a refusal has to say, for schemathesis."""

import json
import re

import schemathesis

# Of what a schema cannot tell, each the beginning of an issue.
OF_THE_DATA = [
    # What is there, and what may be done with it.
    "names no", "there is no", "no segment", "is a run (whose orchestrator|that has ended)", "is a key that no object may have",
    r"is a \w+, (which holds no related items|which has no members|not a \w+)", "the invite", "the schema definition has no", "must be (a run that|the one in the path)", "must be the address of",
    "never changes", "stays as it was", "is the only", "has no OpenID Connect",
    # What belongs together.
    ".*is not in nsfilter", "must name (exactly )?one", "must name a component", r"needs (_related|one of|\$and)", "is required, (only one|or )", "is required for", "either names what",
    "cannot be beside the other", "takes .*, not both", "must not be less than m", ".* cannot be reached from", ".* is neither an agent", ".* stands twice", "All .* must be unique",
    "resumable needs",
    # Forms that no schema has a word for.
    "must be an https address", "must have the form { _type", "is one of the passwords", ".*cannot compare with an object",
]
UNTOLD = re.compile("^[^:]*: (" + "|".join(OF_THE_DATA) + ")|^(_webhook|_email|_namespaces): is required$")


def faults_of(response):
    """The details of a 400 of ours; None for pages, and for the errors of OAuth and SCIM, which have other forms."""
    if response.status_code != 400 or not response.content:
        return None
    try:
        body = json.loads(response.content)
    except ValueError:
        return None
    if not isinstance(body, dict) or "code" not in body:
        return None
    return body.get("details", [])


def told(fault):
    return f"{fault['field']}: {fault['issue']}"


@schemathesis.check
def names_each_fault(ctx, response, case):
    faults = faults_of(response)
    if faults is not None and response.json().get("code") != "limit_exceeded":
        assert faults and all(fault["field"] and fault["issue"] for fault in faults), "a 400 that names no field"


@schemathesis.check
def refuses_by_its_schema(ctx, response, case):
    """What the references allow is refused for reasons alone that no schema can tell."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    unsaid = [fault for fault in faults_of(response) or [] if not UNTOLD.match(told(fault))]
    assert not unsaid, "the references do not say: " + "; ".join(map(told, unsaid[:5]))


@schemathesis.serializer("application/x-ndjson")
def rows(ctx, value):
    """A JSON text on each line; examples are text already."""
    if isinstance(value, (str, bytes)):
        return value if isinstance(value, bytes) else value.encode()
    return "\n".join(json.dumps(row) for row in (value if isinstance(value, list) else [value])).encode()


@schemathesis.serializer("application/offset+octet-stream")
def piece(ctx, value):
    """Bytes of a file."""
    return value if isinstance(value, bytes) else str(value).encode()
