import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorRules } from './describe-errors';
import { isGuarded, type Method, type Operation, operationsOf, type Response } from './operations';

type Parameter = Exclude<NonNullable<Operation['parameters']>[number], { $ref: string }>;
type Schema = NonNullable<NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string]>;

const header = (name: string, description: string, schema: Parameter['schema'] = { type: 'string' }): Parameter => ({ name, in: 'header', required: false, description, schema });

const IF_NONE_MATCH = header('If-None-Match', 'The `ETag` of what you have: 304 while it is still the same');
export const IF_MATCH = header('If-Match', 'The `ETag` that you have read: 412, and nothing is changed, where the record is another by now');
/** Its pattern leaves out what a header cannot carry: spaces at its ends. */
const IDEMPOTENCY_KEY = header(
  'Idempotency-Key', 'A text of your own for this one request. When you send the request again with it, within 24 hours, it is done once and answered the same',
  { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]([ -~]*[!-~])?$' },
);
const ETAG = { description: 'Names what the record says: for `If-None-Match` and `If-Match`', schema: { type: 'string' as const } };

const READS: ReadonlySet<Method> = new Set(['get', 'head', 'options']);

/**
 * The headers by which a request depends on what there is (RFC 9110 section 13), or is sent again. They are read in front of all routes, hence no
 * route can say them: records have an `ETag` (`tagEntities`), and what changes one takes `If-Match` at the same path. Which of them never answers
 * 304 (`neverAnswered`) is another at each call, or no answer of ours.
 */
export function describeConditions(document: OpenAPIObject, { neverAnswered = {} }: Pick<ErrorRules, 'neverAnswered'>): OpenAPIObject {
  const records = new Set(Object.keys(document.paths).filter((path) => answersRecord(document, document.paths[path]?.get)));
  const isTagged = ({ operationId = '' }: Operation) => neverAnswered[operationId]?.includes(304) !== true;
  for (const { path, method, operation } of operationsOf(document)) {
    if (method === 'get' && records.has(path) && isTagged(operation)) describeTag(operation);
    if (READS.has(method) || !isGuarded(operation)) continue;
    add(operation, IDEMPOTENCY_KEY);
    if (method !== 'post' && records.has(path)) add(operation, IF_MATCH);
  }
  return document;
}

function describeTag(operation: Operation): void {
  add(operation, IF_NONE_MATCH);
  const answer = operation.responses['200'] as Response;
  answer.headers = { ...answer.headers, ETag: ETAG };
  operation.responses['304'] ??= { description: 'The same as before: your `If-None-Match` names it' };
}

function add(operation: Operation, parameter: Parameter): void {
  const { parameters = [] } = operation;
  const isKnown = parameters.some((one) => 'name' in one && one.name.toLowerCase() === parameter.name.toLowerCase());
  if (!isKnown) operation.parameters = [...parameters, { ...parameter }];
}

/** One record, and not a page of them. */
function answersRecord(document: OpenAPIObject, operation: Operation | undefined): boolean {
  const answer = operation?.responses['200'];
  if (answer === undefined || '$ref' in answer) return false;
  const schema = Object.entries(answer.content ?? {}).find(([type]) => /[/+]json$/.test(type))?.[1].schema;
  const shape = schema && shapeOf(document, schema);
  return shape?.type === 'object' && shape.properties?.['_list'] === undefined;
}

function shapeOf(document: OpenAPIObject, schema: Schema): Exclude<Schema, { $ref: string }> | undefined {
  if (!('$ref' in schema)) return schema;
  const named = document.components?.schemas?.[schema.$ref.split('/').at(-1) ?? ''];
  return named && shapeOf(document, named);
}
