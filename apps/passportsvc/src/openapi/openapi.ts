import type { OpenApiInfo } from '@twinyard/service-kit';
import { errors, OAUTH_ERROR_SCHEMA } from './errors';
import { examples } from './examples';

export const openApi: OpenApiInfo = {
  title: 'Identity',
  description: [
    'OAuth 2.0 and OpenID Connect, users, organizations, applications, workspaces, user groups and permissions.',
    'Good to know: an authorization request without `scope` asks for `read write`; a client that asks for no scope gets all of its own;',
    'an application is a public client until its owner gives it a secret (`POST /apps/{id}/secret`); what comes of exchanging tokens (`auth/token`) ends where the first exchange could have;',
    'a code or refresh token that is used twice revokes its authorization, as does `revoke` for any token of it; applications that are not first-party ask for consent once per session;',
    'after five wrong passwords the sign-in page answers 429 with `Retry-After`; a disabled user\'s sessions stay ended when the account is enabled again.',
  ].join(' '),
  operationIds: {
    'GET /passportsvc/.well-known/oauth-authorization-server': 'getAuthorizationServerMetadata',
    'GET /passportsvc/api/v1/oauth/authorize': 'authorizeByFirstVersion',
    'POST /passportsvc/api/v1/oauth/authorize': 'authorizeByFormOfFirstVersion',
    'POST /passportsvc/api/v1/oauth/token': 'issueTokenByFirstVersion',
    'POST /passportsvc/api/v1/scim/.search': 'searchScim',
  },
  tags: [
    { name: 'oauth', description: 'Tokens, by OAuth 2.0 and OpenID Connect' },
    { name: 'accounts', description: 'Signing up' },
    { name: 'users', description: 'People' },
    { name: 'access keys', description: 'For programs that act as a person' },
    { name: 'sessions', description: 'Who is asking, and the end of a session' },
    { name: 'organizations', description: 'Whose the applications and the people are' },
    { name: 'applications', description: 'What people sign in to' },
    { name: 'workspaces', description: 'Namespaces in which the services keep what is yours' },
    { name: 'user groups', description: 'People who may do the same' },
    { name: 'invites', description: 'Into a group, by mail' },
    { name: 'permission profiles', description: 'Permissions that are given together' },
    { name: 'clients', description: 'Programs with an id and a secret of their own' },
    { name: 'secrets', description: 'What runs need to reach other systems' },
    { name: 'configurations', description: 'Limits of organizations and applications' },
    { name: 'identity providers', description: 'Signing in by the directory of an organization' },
    { name: 'SCIM', description: 'Users as a directory sends them (RFC 7644)' },
    { name: 'notification templates', description: 'The words of invites' },
    { name: 'audit', description: 'Who did what, when, from where' },
    { name: 'information', description: 'What anybody may know of this platform' },
    { name: 'requests', description: 'What became of work that goes on after its answer' },
  ],
  examples,
  open: ['DiscoveryDto'],
  schemas: { OAuthErrorDto: OAUTH_ERROR_SCHEMA },
  ...errors,
};
