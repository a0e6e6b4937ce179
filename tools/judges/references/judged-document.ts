import type { Operation } from '../../platform/test/operations';
import { valueFor, withRecordsOf } from '../../platform/test/requests';
import type { Tenant } from '../../platform/test/tenants';
import { requestSchemas } from './request-schemas';

export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

interface Described {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean };
  readonly responses: object;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const LOOSER: Readonly<Record<string, Schema>> = {
  // What a query is made of is held to its parser by tests of its own (libs/documents): it refers to itself, and a judge would not come to its end.
  Filter: { type: 'object' }, Expression: {}, ExpressionObject: { type: 'object' }, FilterOperators: { type: 'object' }, FilterValue: {},
  // As the parameters of a page are: a number that is none of a page counts as not sent.
  PageOptions: { type: 'object' },
};

/**
 * The references as a judge gets them. Their examples are of the tenant's records, and so are those of each parameter that has to be given. What holds for all
 * operations alike (docs/requests.md), and would be in the way of readers in each schema, is in the schemas here.
 */
export function judgedDocument(text: string, tenant: Tenant): Document {
  const document = JSON.parse(withRecordsOf(tenant, tenant.owner, text)) as Document;
  const sent = requestSchemas(document);
  const schemas = Object.entries(document.components.schemas).map(([name, schema]): [string, Schema] => [name, LOOSER[name] ?? (sent.has(name) ? takingNull(schema) : schema)]);
  const paths = Object.entries(document.paths).map(([path, methods]): [string, Document['paths'][string]] =>
    [path, Object.fromEntries(Object.entries(methods).map(([method, operation]) => [method, judgedOperation({ path, method }, operation, tenant)]))]);
  return { ...document, paths: Object.fromEntries(paths), components: { ...document.components, schemas: Object.fromEntries(schemas) } };
}

/** A judge sends one value of each with all that it tries, which would then be answered as a repetition, as what comes too late, or as another protocol, and not for what it is. */
const CONDITIONS: ReadonlySet<string> = new Set(['Idempotency-Key', 'If-Match', 'Tus-Resumable']);

/** Each permission is taken or refused by itself, in an answer of 200. */
const BY_THEMSELVES = /\/permissions$/;

/** A PUT without a body changes nothing. */
function judgedOperation({ path, method }: { readonly path: string; readonly method: string }, operation: Described, tenant: Tenant): Described {
  const { parameters, requestBody } = operation;
  return {
    ...operation,
    ...(parameters && { parameters: parameters.filter(({ name }) => !CONDITIONS.has(name)).map((each) => forgiving(withExample({ path }, each, tenant))) }),
    ...(requestBody && method === 'put' && { requestBody: { ...requestBody, ...(BY_THEMSELVES.test(path) && { content: { 'application/json': { schema: { type: 'array' } } } }), required: false } }),
  };
}

/** Of a query, and refused where they are not understood: what a lock guards would be lost, and a token live longer than it should. */
const STRICT: ReadonlySet<string> = new Set(['_version', 'expires_in']);

/** Another number or word of a query that is not understood counts as not sent. */
const forgiving = (parameter: Parameter): Parameter =>
  parameter.in === 'query' && !STRICT.has(parameter.name) && !parameter.required && parameter.schema?.enum === undefined && ['number', 'integer', 'boolean'].includes(String(parameter.schema?.type)) ? { ...parameter, schema: {} } : parameter;

/** `null` counts as not sent, where there need be nothing, at any depth. */
function takingNull(schema: Schema): Schema {
  const { properties, required = [], items } = schema;
  const taking = Object.entries(properties ?? {}).map(([name, property]): [string, Schema] => [name, required.includes(name) ? takingNull(property) : { anyOf: [takingNull(property), { type: 'null' }] }]);
  return { ...schema, ...(properties && { properties: Object.fromEntries(taking) }), ...(items && { items: takingNull(items) }) };
}

function withExample(operation: Pick<Operation, 'path'>, parameter: Parameter, tenant: Tenant): Parameter & { readonly example?: unknown } {
  if (parameter.name === 'nsfilter') return { ...parameter, example: [tenant.namespace] };
  const example = parameter.in === 'path' || parameter.required ? valueFor(operation, parameter.name, tenant) : undefined;
  return { ...parameter, ...(example !== undefined && { example }) };
}
