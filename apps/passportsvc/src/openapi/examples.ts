import { type BodyExamples, EXAMPLE_IDS } from '@twinyard/service-kit';

const { email, baseUrl, namespace, organization, user, issuer, client, clientSecret } = EXAMPLE_IDS;

const MAIL = { _name: 'USER_GROUP_INVITE', _title: 'You are invited', _message: 'Come in: ${invite_link}', _locale: 'en', _format: 'text/plain' };
const LIMITS = { 'workspaces.limit': 50 };
const SCIM_SEARCH = { schemas: ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], filter: `userName eq "${email}"`, startIndex: 1, count: 10 };
const SCIM_USER = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'bjensen', name: { givenName: 'Barbara', familyName: 'Jensen' },
  emails: [{ value: 'bjensen@example.com', type: 'work', primary: true }], active: true,
};
const PROFILE = {
  _name: 'House keepers', _userType: 'keepers', _namespaces: [namespace], _permissions: [{ _actions: ['READ'], _namespace: namespace, _resourceDesc: { _irn: 'filesvc:file:*' } }],
};
const CLIENT = { client_id: client, client_secret: clientSecret };
const TOKEN_REQUEST = { grant_type: 'client_credentials', ...CLIENT, scope: 'read write' };
const AUTHORIZATION = {
  response_type: 'code', client_id: 'console', redirect_uri: `${baseUrl}/console/callback`, scope: 'read write', state: 'af0ifjsldkj',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256',
};

export const examples: BodyExamples = {
  createAccount: { _firstname: 'Ada', _lastname: 'Byron', _email: email, _password: 'correct horse battery staple', _locale: 'en' },
  updateUser: { _firstname: 'Ada', _lastname: 'King', _disabled: false },
  createAccessKey: { _name: 'Nightly export', _scopes: ['read'] },

  createOrganization: { _name: 'Example Houses', _description: 'All houses of the example', _orgOwner: email },
  updateOrganization: { _name: 'Example Houses', _description: 'All houses and gardens of the example' },
  replaceOrganizationConfiguration: LIMITS,
  mergeOrganizationConfiguration: LIMITS,
  createIdentityProvider: { _name: 'Staff', _issuer: issuer, _clientId: 'twinyard', _clientSecret: 'given by the provider', _scopes: ['openid', 'email', 'profile'] },
  updateIdentityProvider: { _name: 'Staff and guests', _issuer: issuer, _clientId: 'twinyard' },

  createApp: { _name: 'House app', _orgId: organization, _redirectUris: `${baseUrl}/app/callback`, _postLogoutRedirectUris: `${baseUrl}/app` },
  updateApp: { _name: 'House app', _description: 'For those who live here' },
  replaceAppConfiguration: LIMITS,
  mergeAppConfiguration: LIMITS,
  createNotificationTemplates: [{ ...MAIL, _locale: 'fr' }],
  updateNotificationTemplate: MAIL,

  createWorkspaces: [{ _name: 'House', _shortName: 'house', _description: 'The house in the park', _userType: 'project_workspace' }],
  updateWorkspace: { _name: 'House', _description: 'The house in the park, and the park' },
  createUserGroups: [{ _name: 'House keepers', _shortName: 'keepers', _description: 'They may see everything' }],
  updateUserGroup: { _name: 'House keepers', _description: 'They may see everything, and change some' },
  addUserGroupMembers: [user],
  removeUserGroupMembers: [user],
  createInvites: [{ _email: 'grace@example.com', _params: { base_url: baseUrl } }],
  endInvite: { _status: 'CANCELLED' },

  checkPermissions: [{ _irn: 'itemsvc:nameduseritem:*', _action: 'DELETE', _namespace: namespace }],
  createPermissionProfile: [PROFILE],
  updatePermissionProfile: { _name: PROFILE._name, _permissions: PROFILE._permissions },
  createClient: { _name: 'Nightly export', _scopes: ['read'], _orgId: organization },
  createSecret: [{ _name: 'weather', _value: 'what the weather service asks for', _description: 'Of the weather service', _namespaces: [namespace] }],
  updateSecret: { _description: 'Of the weather service, since May' },

  issueToken: TOKEN_REQUEST,
  issueTokenByFirstVersion: TOKEN_REQUEST,
  introspectToken: { token: 'an access token', ...CLIENT },
  revokeToken: { token: 'a refresh token', ...CLIENT },
  authorizeByForm: AUTHORIZATION,
  authorizeByFormOfFirstVersion: AUTHORIZATION,
  endSessionByForm: { client_id: AUTHORIZATION.client_id, state: AUTHORIZATION.state },

  createScimUser: SCIM_USER,
  replaceScimUser: SCIM_USER,
  patchScimUser: { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: [{ op: 'replace', path: 'active', value: false }] },
  searchScim: SCIM_SEARCH,
  searchScimUsers: SCIM_SEARCH,
};
