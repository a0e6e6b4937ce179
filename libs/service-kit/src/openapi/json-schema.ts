/** A value of any type, said so that generators make no object of it. */
export const ANY_JSON = [...['string', 'number', 'boolean', 'object'].map((type) => ({ type })), { type: 'array', items: {} }];

/** A parameter that is text of JSON. */
export const jsonText = (schema: object) => ({ type: 'string' as const, contentMediaType: 'application/json', contentSchema: schema });

/**
 * Schemas as OpenAPI 3.1 has them, which are those of JSON Schema (https://spec.openapis.org/oas/v3.1.1.html#schema-object): `null` is a type, and
 * `nullable` (3.0), which the decorators write, means nothing. An object of which no property is said takes any; said so, since generators take it for an empty one.
 */
export function asJsonSchema<T>(document: T): T {
  if (Array.isArray(document)) return document.map((element: unknown) => asJsonSchema(element)) as T;
  if (typeof document !== 'object' || document === null) return document;
  const members = Object.entries(document).map(([name, value]): [string, unknown] => [name, name === 'example' || name === 'examples' ? value : asJsonSchema(value)]);
  return withNull(withAnyProperty(Object.fromEntries(members))) as T;
}

type Node = Readonly<Record<string, unknown>>;

function withNull(node: Node): Node {
  if (typeof node['nullable'] !== 'boolean') return node;
  const { nullable, ...schema } = node;
  if (!nullable) return schema;
  if (typeof schema['type'] !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [schema['type'], 'null'], ...(Array.isArray(schema['enum']) && { enum: [...schema['enum'], null] }) };
}

const SAYS_PROPERTIES = ['properties', 'additionalProperties', 'allOf', 'oneOf', 'anyOf', '$ref'];
const withAnyProperty = (node: Node): Node => (node['type'] === 'object' && !SAYS_PROPERTIES.some((name) => name in node) ? { ...node, additionalProperties: true } : node);
