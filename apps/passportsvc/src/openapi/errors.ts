import { isOAuthEndpoint } from '@twinyard/conventions';
import type { ErrorRules } from '@twinyard/service-kit';
import { isPagePath } from '../pages/error-answers';
import { SCIM_MEDIA_TYPE, SCIM_PATH } from '../scim/protocol/scim-answers';

const OAUTH_ERROR = { 'application/json': { schema: { $ref: '#/components/schemas/OAuthErrorDto' } } };
const SCIM_ERROR = { [SCIM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/ScimErrorDto' } } };
/** By what the caller would rather have. */
const PAGE = { 'text/html': { schema: { type: 'string' } } };

export const OAUTH_ERROR_SCHEMA = {
  type: 'object',
  description: 'RFC 6749 section 5.2',
  required: ['error'],
  properties: {
    error: { type: 'string', description: 'What is wrong, for programs: `invalid_request`, `invalid_client`, `temporarily_unavailable` and others' },
    error_description: { type: 'string', description: 'What is wrong, for people' },
  },
};

/** Relying parties read the errors of RFC 6749 alone, providers of users those of RFC 7644 (section 3.12), and browsers get a page. */
export const errors = {
  errorsAt: (path, ours) => {
    if (path.startsWith(`${SCIM_PATH}/`)) return SCIM_ERROR;
    if (!isOAuthEndpoint(path) && !isPagePath(path)) return ours;
    return { ...(isPagePath(path) && PAGE), ...(isOAuthEndpoint(path) ? OAUTH_ERROR : ours) };
  },
  neverAnswered: {
    // A sign-in that is not there, or of another browser, is a fault of the request.
    resumeAuthorization: [404],
    // What is wrong with a form is a refusal of the token, however long the form is, and whatever it is.
    issueToken: [413, 415],
    issueTokenByFirstVersion: [413, 415],
    // Asked by POST (RFC 7662 section 2.1), and nothing is kept.
    introspectToken: [507],
    // Answered by oidc-provider, which knows no tags.
    getKeys: [304],
    getOpenIdConfiguration: [304],
    getAuthorizationServerMetadata: [304],
  },
} satisfies ErrorRules;
