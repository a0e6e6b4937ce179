/** A definition of Kubernetes' OpenAPI document, as much of it as matters here. */
export interface Definition {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly additionalProperties?: Definition | boolean;
  readonly items?: Definition;
  readonly required?: readonly string[];
  readonly $ref?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly { readonly group: string; readonly version: string; readonly kind: string }[];
}

export type Definitions = Readonly<Record<string, Definition>>;

const PREFIX = '#/definitions/';

/** File name, as kubeconform asks for it (`deployment-apps-v1.json`) → a schema that refuses what Kubernetes does not know. */
export function strictSchemas(definitions: Definitions): ReadonlyMap<string, object> {
  const schemas = new Map<string, object>();
  for (const [name, definition] of Object.entries(definitions)) {
    for (const { group, version, kind } of definition['x-kubernetes-group-version-kind'] ?? []) {
      const file = [kind, group.split('.')[0], version].filter((part) => part !== '').join('-').toLowerCase();
      const names = { apiVersion: { enum: [group === '' ? version : `${group}/${version}`] }, kind: { enum: [kind] } };
      schemas.set(`${file}.json`, schemaOf(name, definitions, names));
    }
  }
  return schemas;
}

function schemaOf(root: string, definitions: Definitions, names: object): object {
  const used: Record<string, object> = {};
  const open = [root];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (name in used) continue;
    used[name] = strict(definitions[name] ?? {}, open);
  }
  const { properties, required = [], ...rest } = used[root] as { properties?: object; required?: readonly string[] };
  delete used[root];
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...rest, properties: { ...properties, ...names }, required: [...new Set([...required, 'apiVersion', 'kind'])], definitions: used };
}

/** The definition as JSON Schema; what it refers to is pushed to `open`. */
function strict(definition: Definition, open: string[]): object {
  const { type, format, properties, additionalProperties, items, required, $ref } = definition;
  if ($ref !== undefined) {
    open.push($ref.slice(PREFIX.length));
    return { $ref };
  }
  if (format === 'int-or-string') return { type: ['string', 'integer'] };
  const shape = properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, strict(property, open)])), additionalProperties: false };
  return {
    ...(type !== undefined && { type: isQuantity(definition) ? ['string', 'number'] : type }),
    ...shape,
    ...(required && { required }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: strict(additionalProperties, open) }),
    ...(items && { items: strict(items, open) }),
  };
}

/** `500m` and `2` are both amounts: the only plain string that may be a number. */
const isQuantity = ({ type, properties, format, ...rest }: Definition) => type === 'string' && properties === undefined && format === undefined && /fixed-point representation/.test(String((rest as { description?: unknown }).description ?? ''));
