import type { OpenAPIObject } from '@nestjs/swagger';
import { IF_MATCH } from './describe-conditions';
import { isGuarded, type Method, type Operation, operationsOf, type PlacedOperation, type Response } from './operations';

/** Media type → the shape of a body. */
export type Content = NonNullable<Response['content']>;
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

/** Where a service answers errors in another way. */
export interface ErrorRules {
  /** Their bodies below a path, where they have not our shape alone. */
  readonly errorsAt?: (path: string, ours: Content) => Content;
  /** Operation → statuses that others like it answer, and it does not. */
  readonly neverAnswered?: Readonly<Record<string, readonly number[]>>;
}

const TEXT = { type: 'string' };

/** Contract 0.2. */
const SCHEMAS = {
  FieldIssueDto: { type: 'object', properties: { field: { ...TEXT, description: 'A path such as `[2]._name`, or the name of a parameter' }, issue: TEXT }, required: ['field', 'issue'] },
  ErrorDto: {
    type: 'object',
    properties: { message: TEXT, code: TEXT, details: { type: 'array', items: { $ref: '#/components/schemas/FieldIssueDto' } }, requestId: TEXT },
    required: ['message', 'code', 'requestId'],
  },
} satisfies Schemas;

const OUR_ERRORS: Content = { 'application/json': { schema: { $ref: '#/components/schemas/ErrorDto' } } };
const ACCEPTED_HEADERS = {
  Location: { description: 'Absolute URL of the request: how it fares, and in the end its answer', schema: TEXT },
  'Retry-After': { description: 'Seconds', schema: { type: 'integer' } },
};

/**
 * What any operation may answer, and the shapes of it: a fault in what was sent, an id of which there is none for the caller, the body of an error,
 * the headers of a 202. Otherwise each route would have to repeat it, and a generated client could not read an error.
 */
export function describeErrors(document: OpenAPIObject, { errorsAt, neverAnswered = {} }: ErrorRules): OpenAPIObject {
  for (const placed of operationsOf(document)) {
    const { path, method, operation } = placed;
    const content = errorsAt?.(path, OUR_ERRORS) ?? OUR_ERRORS;
    const never = neverAnswered[operation.operationId ?? ''] ?? [];
    name(operation, Object.entries(refusalsOf(placed, content === OUR_ERRORS)).filter(([code]) => !never.includes(Number(code))));
    for (const [code, response] of Object.entries(operation.responses)) complete(method, Number(code), response as Response, content);
  }
  document.components = { ...document.components, schemas: { ...document.components?.schemas, ...SCHEMAS } };
  return document;
}

type Refusals = Readonly<Record<string, string>>;

/** To any caller. */
const ALWAYS = {
  429: 'Too many requests; `Retry-After` says when to come again',
  503: 'Something that this needs is away for a moment; `Retry-After` says when to come again',
} as const;
const NO_TOKEN = 'No token, or one that is valid no longer';
const FORBIDDEN = { 403: 'A permission is missing, or the token lacks the scope; `message` says which' } as const;
const INVALID = 'A parameter or a body that cannot be taken';
/** To what may change something. */
const OF_WRITES = {
  409: 'Something unique is there already, or a request with this `Idempotency-Key` is still being answered',
  422: 'The `Idempotency-Key` came with another request before',
  507: 'There is no room left to store this; nothing has changed',
} as const;
const OF_CONDITIONS = { 412: 'It has changed since: `If-Match` names another `ETag`' } as const;
/** To a write that needs no token, and has no `Idempotency-Key` then. */
const OF_PUBLIC_WRITES = { 507: OF_WRITES[507] } as const;
/** Where a route does not say more. */
const OUTCOMES: Refusals = { 200: 'The answer', 201: 'What was made', 202: 'Accepted; it is still to be done', 204: 'Done', 206: 'The part that was asked for', 302: 'Go on at `Location`' };

/** `inDetail`: in our own shape, which says more than others can. */
function refusalsOf({ path, method, operation }: PlacedOperation, inDetail: boolean): Refusals {
  if (method === 'options') return ALWAYS;
  const ofCaller = isGuarded(operation) && { 401: inDetail ? `${NO_TOKEN}; \`details\` says which` : NO_TOKEN, ...FORBIDDEN };
  return { ...ALWAYS, ...ofCaller, ...ofMethod(method, operation), ...ofInput(path, operation, inDetail) };
}

const ofInput = (path: string, { parameters = [], requestBody }: Operation, inDetail: boolean): Refusals => ({
  ...((parameters.length > 0 || requestBody) && { 400: inDetail ? `${INVALID}; every fault is named` : INVALID }),
  ...(path.includes('{') && { 404: 'There is none that the caller may READ' }),
  ...(requestBody && { 413: 'Larger than the limit, which the message names', 415: 'A body of another kind than what is taken here' }),
});

function ofMethod(method: Method, operation: Operation): Refusals {
  if (method === 'get' || method === 'head') return {};
  const { parameters = [] } = operation;
  const isConditional = parameters.some((parameter) => 'name' in parameter && parameter.name === IF_MATCH.name);
  return { ...(isGuarded(operation) ? OF_WRITES : OF_PUBLIC_WRITES), ...(isConditional && OF_CONDITIONS) };
}

/** What a route has said of an outcome stays; what it has named and not described is described. */
function name({ responses }: Operation, refusals: readonly (readonly [string, string])[]): void {
  for (const [code, description] of refusals) responses[code] ??= { description };
  const known: Refusals = { ...OUTCOMES, ...Object.fromEntries(refusals) };
  for (const [code, response] of Object.entries(responses)) {
    if (response !== undefined && !('$ref' in response) && response.description === '') response.description = known[code] ?? '';
  }
}

/** The answer to a HEAD never has a body (RFC 9110 section 9.3.2). */
function complete(method: Method, code: number, response: Response, content: Content): void {
  if (code >= 400 && method !== 'head') response.content ??= content;
  if (code === 202) response.headers ??= ACCEPTED_HEADERS;
}
