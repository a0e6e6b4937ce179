import type { OpenAPIObject } from '@nestjs/swagger';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'] as const;
export type Method = (typeof METHODS)[number];
export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** The scheme of a token by its scopes, for what a route needs. */
export const OAUTH = 'oauth2';

export type Response = Exclude<NonNullable<Operation['responses'][string]>, { $ref: string }>;

export interface PlacedOperation {
  readonly path: string;
  readonly method: Method;
  readonly operation: Operation;
}

/** In the order of the document. */
export const operationsOf = (document: OpenAPIObject): PlacedOperation[] =>
  Object.entries(document.paths).flatMap(([path, item]) => METHODS.flatMap((method) => {
    const operation = item[method];
    return operation === undefined ? [] : [{ path, method, operation }];
  }));

/** Whether it is for callers with a token alone. */
export const isGuarded = ({ security = [] }: Operation): boolean => security.length > 0;

/**
 * What routes leave to be said for all: the scope that goes by the method, parameters of the path that no handler reads, that anybody may ask where nobody
 * has to sign in, and of handlers that serve several paths the id at each (`ids`: `GET /path/{id}` → id).
 */
export function completeOperations(document: OpenAPIObject, ids: Readonly<Record<string, string>>): OpenAPIObject {
  for (const { path, method, operation } of operationsOf(document)) {
    const id = ids[`${method.toUpperCase()} ${path}`];
    if (id !== undefined) operation.operationId = id;
    operation.security ??= [];
    if (operation.security.some((scheme) => 'bearer' in scheme)) addScope(operation.security, method);
    addPathParameters(path, operation);
  }
  return withoutUnusedSchemes(document);
}

function addScope(security: Record<string, string[]>[], method: Method): void {
  if (!security.some((scheme) => OAUTH in scheme)) security.push({ [OAUTH]: method === 'get' || method === 'head' ? [] : ['write'] });
}

function addPathParameters(path: string, operation: Operation): void {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const parameters = operation.parameters ?? [];
  const known = new Set(parameters.map((parameter) => ('name' in parameter ? parameter.name : '')));
  const missing = named.filter((name) => !known.has(name)).map((name) => ({ name, in: 'path' as const, required: true, schema: { type: 'string' } }));
  if (missing.length > 0) operation.parameters = [...missing, ...parameters];
}

function withoutUnusedSchemes(document: OpenAPIObject): OpenAPIObject {
  const used = new Set(operationsOf(document).flatMap(({ operation: { security = [] } }) => security.flatMap((scheme) => Object.keys(scheme))));
  const schemes = Object.entries(document.components?.securitySchemes ?? {}).filter(([name]) => used.has(name));
  document.components = { ...document.components, securitySchemes: Object.fromEntries(schemes) };
  return document;
}
