import { parseAllDocuments } from 'yaml';

/** A definition of a kind that Kubernetes does not bring along, as much of it as matters here. */
interface CustomResource {
  readonly kind: string;
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly [keyword: string]: unknown;
}

/** File name, as kubeconform asks for it (`httproute-gateway-v1.json`) → a schema that refuses what the definition does not know. */
export function customSchemas(definitions: string): ReadonlyMap<string, object> {
  const resources = parseAllDocuments(definitions).map((document) => document.toJS() as CustomResource).filter(({ kind }) => kind === 'CustomResourceDefinition');
  return new Map(resources.flatMap(({ spec: { group, names, versions } }) => versions.map(({ name, schema }) => {
    const { properties, ...rest } = strict(schema.openAPIV3Schema);
    const known = { ...properties, apiVersion: { enum: [`${group}/${name}`] }, kind: { enum: [names.kind] } };
    return [`${[names.kind, group.split('.')[0], name].join('-').toLowerCase()}.json`, { ...rest, properties: known, required: ['apiVersion', 'kind', 'spec'] }] as const;
  })));
}

/** What has properties has no others, unless it says so. */
function strict({ description: _description, ...schema }: Schema): Schema {
  const { properties, items, additionalProperties } = schema;
  const open = additionalProperties ?? schema['x-kubernetes-preserve-unknown-fields'];
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, strict(property)])) }),
    ...(properties && open === undefined && { additionalProperties: false }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: strict(additionalProperties) }),
    ...(items && { items: strict(items) }),
  };
}
