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
  readonly hasBody: boolean;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[]; readonly requestBody?: unknown; readonly security?: readonly unknown[] }>>>>;
}

/** Every operation of the seven committed descriptions; that these are what the services serve is another test's to prove. */
export const operations: readonly Operation[] = SERVICES.flatMap((service) => {
  const { paths } = JSON.parse(readFileSync(join(ROOT, 'apps', service, 'openapi.json'), 'utf8')) as OpenApi;
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, { parameters = [], requestBody, security = [] }]) => {
      const method = name.toUpperCase();
      return { key: `${method} ${path}`, method, path, needsToken: security.length > 0, parameters, hasBody: requestBody !== undefined };
    }));
});

export const isRead = ({ key, method }: Operation): boolean => method === 'GET' || READING_POSTS.has(key);

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
  'GET /passportsvc/.well-known/oauth-authorization-server',
  'GET /passportsvc/.well-known/openid-configuration',
  'GET /passportsvc/api/information/configs',
  'POST /passportsvc/api/v1/accounts',
  'GET /passportsvc/api/v1/accounts/passwordPolicies',
  'GET /passportsvc/api/v1/oauth/authorize',
  'POST /passportsvc/api/v1/oauth/authorize',
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

/** What the contract answers to a stranger in place of 404 by id, an empty list, or 403 on create. */
export const REFUSED_OTHERWISE: ReadonlyMap<string, number> = new Map([
  ['POST /datasourcesvc/api/v1/orchrun', 400], // a body that names what is not there
  ['DELETE /filesvc/api/v1/files', 204], // what is not there need not be deleted
  ['GET /passportsvc/api/v1/notification_templates', 403], // for who may EDIT the token's application
  ['GET /passportsvc/api/v1/usergroups/{id}/invites', 403], // the specification's own word
  ['GET /passportsvc/api/v1/usergroups/{id}/invites/{inviteId}', 403],
  ['GET /passportsvc/api/v1/clients', 403], // for platform managers alone
  ['GET /passportsvc/api/v1/clients/{id}', 403],
]);
