import type { OpenAPIObject } from '@nestjs/swagger';
import { isGuarded, type Method, type Operation, operationsOf } from './operations';

type Response = Exclude<NonNullable<Operation['responses'][string]>, { $ref: string }>;
type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

const WITHOUT_BODY: ReadonlySet<Method> = new Set(['head', 'options']);
/** Their errors are those of RFC 6749 and RFC 7644. */
const OTHER_ERRORS = /\/(?:oauth|scim)\//;
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

const ERROR_CONTENT = { 'application/json': { schema: { $ref: '#/components/schemas/ErrorDto' } } };
const ACCEPTED_HEADERS = {
  Location: { description: 'Absolute URL of the request: how it fares, and in the end its answer', schema: TEXT },
  'Retry-After': { description: 'Seconds', schema: { type: 'integer' } },
};

/**
 * What any operation for signed-in callers may answer, and the shapes of it: a fault in what was sent, an id of which there is none for
 * the caller, the body of an error, the headers of a 202. Otherwise each route would have to repeat it, and a generated client could not read an error.
 */
export function describeErrors(document: OpenAPIObject): OpenAPIObject {
  for (const { path, method, operation } of operationsOf(document)) {
    if (OTHER_ERRORS.test(path)) name(operation, isGuarded(operation) ? { ...NO_TOKEN, ...TOO_MANY } : TOO_MANY);
    else if (WITHOUT_BODY.has(method)) name(operation, isGuarded(operation) ? { ...ALWAYS, ...ofInput(path, operation) } : TOO_MANY);
    else if (isGuarded(operation)) describe(operation, { ...ALWAYS, ...ofMethod(method), ...ofInput(path, operation) });
    else describe(operation, { ...OF_ANYBODY, ...ofInput(path, operation) });
  }
  document.components = { ...document.components, schemas: { ...document.components?.schemas, ...SCHEMAS } };
  return document;
}

const NO_TOKEN = { 401: 'No token, or one that is valid no longer' } as const;
const TOO_MANY = { 429: 'Too many requests; `Retry-After` says when to come again' } as const;
/** What may be answered to any caller. */
const ALWAYS = {
  ...TOO_MANY,
  401: `${NO_TOKEN[401]}; \`details\` says which`,
  403: 'A permission is missing, or the token lacks the scope; `message` says which',
  503: 'Something that this needs is away for a moment; `Retry-After` says when to come again',
} as const;
/** To whoever has no token. */
const OF_ANYBODY = { ...TOO_MANY, 503: ALWAYS[503] } as const;
/** To what may change something. */
const OF_WRITES = {
  409: 'Something unique is there already, or a request with this `Idempotency-Key` is still being answered',
  422: 'The `Idempotency-Key` came with another request before',
  507: 'There is no room left to store this; nothing has changed',
} as const;
const OF_CHANGES = { 412: 'It has changed since: `If-Match` names another `ETag`' } as const;

type Refusals = Readonly<Record<string, string>>;

function name({ responses }: Operation, refusals: Refusals): void {
  for (const [code, description] of Object.entries(refusals)) responses[code] ??= { description };
}

function describe(operation: Operation, refusals: Refusals): void {
  name(operation, refusals);
  for (const [code, response] of Object.entries(operation.responses)) complete(Number(code), response as Response);
}

const ofInput = (path: string, { parameters = [], requestBody }: Operation): Refusals => ({
  ...((parameters.length > 0 || requestBody) && { 400: 'A parameter or a body that cannot be taken; every fault is named' }),
  ...(path.includes('{') && { 404: 'There is none that the caller may READ' }),
  ...(requestBody && { 413: 'Larger than the limit, which the message names' }),
});

function ofMethod(method: Method): Refusals {
  if (method === 'get') return {};
  return method === 'post' ? OF_WRITES : { ...OF_WRITES, ...OF_CHANGES };
}

function complete(code: number, response: Response): void {
  if (code >= 400) response.content ??= ERROR_CONTENT;
  if (code === 202) response.headers ??= ACCEPTED_HEADERS;
}
