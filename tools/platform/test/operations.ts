import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { ROOT } from './running-platform';

export interface Operation {
  /** `GET /aisvc/api/v1/teams/{id}` */
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly needsToken: boolean;
  readonly parameters: readonly Parameter[];
  /** The body that the references show, of the first of the kinds that it may be of; none where it takes none. */
  readonly body?: ExampleBody;
  /** Of the other kinds. */
  readonly otherBodies: readonly ExampleBody[];
  /** What it answers when it does what it is asked. */
  readonly successes: readonly number[];
}

export interface ExampleBody {
  /** `application/json` */
  readonly type: string;
  readonly example: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[]; readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example: unknown }>> }; readonly responses: object; readonly security?: readonly unknown[] }>>>>;
}

function bodiesOf(content: Readonly<Record<string, { readonly example: unknown }>>): Pick<Operation, 'body' | 'otherBodies'> {
  const [body, ...otherBodies] = Object.entries(content).map(([type, { example }]) => ({ type, example }));
  return { ...(body && { body }), otherBodies };
}

const successesOf = (responses: object) => Object.keys(responses).filter((code) => /^[23]/.test(code)).map(Number);

/** Every operation of the seven committed descriptions; that these are what the services serve is another test's to prove. */
export const operations: readonly Operation[] = SERVICES.flatMap((service) => {
  const { paths } = JSON.parse(readFileSync(join(ROOT, 'apps', service, 'openapi.json'), 'utf8')) as OpenApi;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, { parameters = [], requestBody, responses, security = [] }]) => {
      const method = name.toUpperCase();
      return { key: `${method} ${path}`, method, path, needsToken: security.length > 0, parameters, ...bodiesOf(requestBody?.content ?? {}), successes: successesOf(responses) };
    }));
});

export const isRead = ({ key, method }: Operation): boolean => method === 'GET' || method === 'HEAD' || READING_POSTS.has(key);

const READING_POSTS = new Set([
  'POST /itemsvc/api/v1/schemadefinitions/generate',
  'POST /itemsvc/api/v1/nameduseritems/search',
  'POST /itemsvc/api/v1/nameduseritems/{id}/relateditems/readings/aggregate',
  'POST /passportsvc/api/v1/oauth/userinfo',
  'POST /passportsvc/api/v1/permissions/check',
]);

/** Open to everybody on purpose: signing up and in, and signed links. Another one is to be added here by hand. */
export const PUBLIC = [
  'GET /filesvc/api/v1/content/{versionId}/{name}',
  'GET /filesvc/api/v1/content/previews/{previewId}/{name}',
  'OPTIONS /filesvc/api/v1/files',
  'OPTIONS /filesvc/api/v1/files/{id}',
  'GET /passportsvc/.well-known/oauth-authorization-server',
  'GET /passportsvc/.well-known/openid-configuration',
  // Shown by the browser's session, not by a token.
  'GET /passportsvc/api/accounts',
  'GET /passportsvc/api/information/configs',
  'POST /passportsvc/api/v1/accounts',
  'GET /passportsvc/api/v1/accounts/passwordPolicies',
  'GET /passportsvc/api/v1/oauth/authorize',
  'POST /passportsvc/api/v1/oauth/authorize',
  'GET /passportsvc/api/v1/oauth/end_session',
  'POST /passportsvc/api/v1/oauth/end_session',
  'POST /passportsvc/api/v1/oauth/end_session/confirm',
  'POST /passportsvc/api/v1/oauth/introspect',
  'GET /passportsvc/api/v1/oauth/jwks',
  'POST /passportsvc/api/v1/oauth/revoke',
  'POST /passportsvc/api/v1/oauth/token',
  'GET /passportsvc/api/v2/oauth/authorize',
  'POST /passportsvc/api/v2/oauth/authorize',
  'GET /passportsvc/api/v2/oauth/authorize/{id}',
  'POST /passportsvc/api/v2/oauth/token',
];

/** What anybody signed in may do for itself, whoever it is; the answer must still hold nothing of another tenant. */
export const ONES_OWN = new Set([
  'GET /datasourcesvc/api/v1/orchcomponents',
  'GET /datasourcesvc/api/v1/orchcomponents/{id}',
  'GET /datasourcesvc/api/v1/script-types.d.ts',
  'GET /passportsvc/api/v1/apps/configs',
  'GET /passportsvc/api/v1/organizations/configs',
  'GET /passportsvc/api/v1/oauth/userinfo',
  'POST /passportsvc/api/v1/oauth/userinfo',
  'GET /passportsvc/api/v1/principalinfo',
  'GET /passportsvc/api/v1/users/me',
  'POST /passportsvc/api/v1/permissions/check',
]);

/** Ends the caller's own session, or gives it a token or a key: would change the walker, not what it walks over. */
export const OWN_SESSION = new Set(['GET /passportsvc/api/v1/logout', 'POST /passportsvc/api/v1/auth/token', 'POST /passportsvc/api/v1/users/me/accesskeys']);

/** A user's token opens nothing of SCIM, whoever it is: it is for clients with a scope of their own (apps/passportsvc/test/scim-*). */
const SCIM = '/passportsvc/api/v1/scim';
const SCIM_READS = ['ServiceProviderConfig', 'ResourceTypes', 'ResourceTypes/{id}', 'Schemas', 'Schemas/{id}', 'Users', 'Users/{id}'].map((path) => `GET ${SCIM}/${path}`);
const SCIM_WRITES = ['POST {}/Users', 'POST {}/Users/.search', 'POST {}/.search', 'PUT {}/Users/{id}', 'PATCH {}/Users/{id}', 'DELETE {}/Users/{id}'].map((key) => key.replace('{}', SCIM));

/** What the contract answers to a stranger in place of 404 by id, an empty list, or 403 on create. */
export const REFUSED_OTHERWISE: ReadonlyMap<string, number> = new Map([
  ['POST /datasourcesvc/api/v1/orchrun', 400], // a body that names what is not there
  ['POST /datasourcesvc/api/v1/orchschedules', 400], // the same
  ['DELETE /filesvc/api/v1/files', 204], // what is not there need not be deleted
  ['GET /passportsvc/api/v1/notification_templates', 403], // for who may EDIT the token's application
  ['GET /passportsvc/api/v1/usergroups/{id}/invites', 403], // the specification's own word
  ['GET /passportsvc/api/v1/usergroups/{id}/invites/{inviteId}', 403],
  ['GET /passportsvc/api/v1/secrets/{name}/download', 403], // for trusted clients alone
  ['GET /passportsvc/api/v1/clients', 403], // for platform managers alone
  ['GET /passportsvc/api/v1/clients/{id}', 403],
  ...SCIM_READS.map((key) => [key, 403] as const),
]);

/** What no grant is enough for, and why. */
export const NOT_BY_GRANT: ReadonlyMap<string, string> = new Map([
  ['POST /passportsvc/api/v1/organizations', 'for platform managers alone'],
  ...['POST', 'GET'].map((method) => [`${method} /passportsvc/api/v1/clients`, 'for platform managers alone'] as const),
  ...['GET', 'DELETE'].map((method) => [`${method} /passportsvc/api/v1/clients/{id}`, 'for platform managers alone'] as const),
  ['POST /passportsvc/api/v1/clients/{id}/rotate', 'for platform managers alone'],
  ...['GET', 'PUT'].map((method) => [`${method} /passportsvc/api/v1/users/{id}`, 'for the user and for platform managers'] as const),
  ['DELETE /passportsvc/api/v1/users/me/accesskeys/{id}', 'for whose key it is'],
  ['PATCH /filesvc/api/v1/files/{id}', 'for an upload that is under way'],
  ['GET /passportsvc/api/v1/secrets/{name}/download', 'for trusted clients with the scope download-secrets'],
  ...[...SCIM_READS, ...SCIM_WRITES].map((key) => [key, 'for clients with the scope scim'] as const),
  ['GET /itemsvc/api/v1/requests/{id}', 'for whose request it is'],
  ['GET /passportsvc/api/v1/requests/{id}', 'for whose request it is'],
  ...['GET', 'POST'].map((method) => [`${method} /passportsvc/api/v1/oauth/userinfo`, 'for tokens with the scope openid'] as const),
]);

/** Makers first, then what changes, then what removes: parts before what they are part of, and what all of it is in at the end. */
const LATE = [/\/nameduseritems\/\{id\}$/, /\/orchestrators\/\{id\}$/, /\/notificationsvc\/api\/v1\/(group|sender|template)\//, /\/usergroups\/\{id\}$/, /\/workspaces\/\{id\}$/, /\/apps\/\{id\}$/, /\/organizations\/\{id\}$/];
const stageOf = (operation: Operation): number => {
  if (isRead(operation)) return 0;
  return operation.method === 'DELETE' ? 3 + LATE.findIndex((pattern) => pattern.test(operation.path)) : Number(operation.method !== 'POST') + 1;
};
const inSafeOrder = (some: readonly Operation[]): Operation[] => [...some].sort((one, other) => stageOf(one) - stageOf(other));
const CONTAINERS = /^DELETE \/passportsvc\/api\/v1\/(workspaces|apps|organizations)\/\{id\}$/;

/** Lanes that may be walked at the same time, and what is to be walked when they have ended. */
export function inLanes(some: readonly Operation[]): { readonly lanes: readonly (readonly Operation[])[]; readonly last: readonly Operation[] } {
  const lanes = new Map<string, Operation[]>();
  const [last, rest] = [some.filter(({ key }) => CONTAINERS.test(key)), some.filter(({ key }) => !CONTAINERS.test(key))];
  for (const operation of inSafeOrder(rest)) {
    const service = operation.path.includes('nameduseritems') ? 'itemsvc' : String(operation.path.split('/')[1]);
    lanes.set(service, [...(lanes.get(service) ?? []), operation]);
  }
  return { lanes: [...lanes.values()], last: inSafeOrder(last) };
}

/** What a member of one of an organization's groups sees of it without any grant (contract 1.4), and what it is refused since it sees that. */
export const MEMBERS_SEE: ReadonlyMap<string, number> = new Map([
  ['GET /passportsvc/api/v1/organizations', 200],
  ['GET /passportsvc/api/v1/organizations/{id}', 200],
  ['GET /passportsvc/api/v1/organizations/{id}/configs', 403],
  ['GET /passportsvc/api/v1/organizations/{id}/users', 403],
  ['GET /passportsvc/api/v1/organizations/{id}/identityproviders', 403],
  ['GET /passportsvc/api/v1/organizations/{id}/identityproviders/{idpId}', 403],
  ['GET /passportsvc/api/v1/usergroups', 200], // its own, with the id of their application
  ['GET /passportsvc/api/v1/principalinfo', 200], // the application that its token is for
]);

/** What the walk's own request cannot be done with, and the answer that says so. Never 401, 403 or 404. */
export const UNSATISFIED: ReadonlyMap<string, number> = new Map([
  ['PUT /datasourcesvc/api/v1/orchrun/{id}', 400], // its run has ended
  ['POST /datasourcesvc/api/v1/orchrun/{id}/retry', 400], // … and well
  ['POST /datasourcesvc/api/v1/orchschedules', 409], // its orchestrator has one
  ['PUT /notificationsvc/api/v1/subscription/{id}', 400], // its device is its owner's alone
  ['DELETE /passportsvc/api/v1/organizations/{id}', 409], // it has applications
]);
