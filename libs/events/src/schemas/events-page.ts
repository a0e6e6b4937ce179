import { contractOf, RESOURCE_TYPES, type ResourceType } from '../contract/catalogue';
import { innerNameOf } from '../contract/cloud-event';
import { jsonSchemaOf, type JsonSchema, schemaFileOf } from './json-schemas';

const COMMON = new Set(['type', '_id', '_irn', '_name', '_namespaces', '_userType']);

const INTRODUCTION = `# Events

Generated from the catalogue in \`libs/events\` by \`node dist/libs/events/src/write-schemas.js\`. Do not edit.

Every service publishes \`resource.ResourceCreated\`, \`resource.ResourceUpdated\` and \`resource.ResourceDeleted\`:

\`\`\`json
{
  "event": "resource.ResourceCreated",
  "uuid": "…",
  "resource": { "type": "filesvc.File", "_id": "…", "_irn": "filesvc:file:…", "_name": "…", "_namespaces": ["…"] },
  "user": { "id": "…" },
  "timestamp": "2026-01-31T12:00:00.000Z",
  "requestId": "…"
}
\`\`\`

On the bus this is the \`data\` of a CloudEvent 1.0 (structured JSON): \`id\` is the \`uuid\`, \`source\` is \`/<service>\`, \`type\` the inner name
below, \`subject\` the \`_irn\`. The extension \`partitionkey\` names the aggregate, \`sequence\` counts its events in the order of their commits,
\`clientaddress\` is the address that a request came from; it is for the audit log and never in \`data\`, which is all that triggers, webhooks and mails show.
Counts and bytes are absolute: what is there after the change. Whoever keeps them remembers the highest sequence it has seen and passes
over what is not higher. Events come at least once, in order per topic and key.

Fields that every resource has: \`type, _id, _irn, _namespaces\`, and \`_name\`, \`_userType\` where there are such. A \`?\` marks what may be missing.
Released schemas may only gain optional fields.
`;

export function eventsPage(): string {
  const rows = RESOURCE_TYPES.map(rowOf);
  return [INTRODUCTION, '| Resource type | Inner name | Topic, key | Own fields | Published when |', '|---|---|---|---|---|', ...rows, ''].join('\n');
}

function rowOf(type: ResourceType): string {
  const { topic, keyField, about } = contractOf(type);
  const inner = innerNameOf(type, 'resource.ResourceCreated').replace(/created$/, '*');
  const cells = [`[\`${type}\`](../libs/events/schemas/${schemaFileOf(type)})`, `\`${inner}\``, `\`${topic}\`, \`${keyField}\``, ownFields(type), about];
  return `| ${cells.join(' | ')} |`;
}

function ownFields(type: ResourceType): string {
  const resource = jsonSchemaOf(type).properties?.resource as JsonSchema;
  const names = Object.keys(resource.properties ?? {}).filter((name) => !COMMON.has(name));
  return names.map((name) => `\`${name}${resource.required?.includes(name) ? '' : '?'}\``).join(', ') || '–';
}
