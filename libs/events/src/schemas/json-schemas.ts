import { z } from 'zod';
import { contractOf, RESOURCE_TYPES, type ResourceType } from '../contract/catalogue';
import { EVENT_NAMES } from '../contract/event';

/** A JSON Schema as far as the catalogue makes use of it. */
export interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}

/** The schema of an event's `data` (the public form of contract 0.5). More fields may come: a reader passes over what it does not know. */
export function jsonSchemaOf(type: ResourceType): JsonSchema {
  const resource = z.object({ type: z.literal(type), ...contractOf(type).resource.shape });
  const event = z.object({
    event: z.enum(EVENT_NAMES),
    uuid: z.uuid(),
    resource,
    user: z.object({ id: z.string() }),
    timestamp: z.iso.datetime(),
    requestId: z.string(),
  });
  return { title: type, description: contractOf(type).about, ...z.toJSONSchema(event, { io: 'input' }) } as JsonSchema;
}

export const schemaFileOf = (type: ResourceType) => `${type}.schema.json`;

/** File name → text, as committed under libs/events/schemas. */
export function schemaFiles(): Map<string, string> {
  return new Map(RESOURCE_TYPES.map((type) => [schemaFileOf(type), `${JSON.stringify(jsonSchemaOf(type), null, 2)}\n`]));
}
