import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiProperty, ApiPropertyOptional, ApiQuery } from '@nestjs/swagger';

const AUTHORIZE_PARAMETERS = {
  response_type: { required: true, description: '`code`; on v1 also `token`, whose answer comes in the fragment, for applications that list `implicit`' },
  client_id: { required: true, description: 'The application' },
  redirect_uri: { required: true, description: 'One of the application\'s redirect URIs, one trailing slash aside' },
  scope: { required: false, description: 'For example `read write`, which is also the default' },
  state: { required: false, description: 'Comes back unchanged' },
  nonce: { required: false, description: 'Comes back in the ID token' },
  code_challenge: { required: true, description: 'BASE64URL(SHA256(verifier)); the verifier has 16 to 128 characters' },
  code_challenge_method: { required: true, description: '`S256`' },
  ui_locales: { required: false, description: 'Languages of the pages, the preferred first, separated by spaces; there are `en` and `de`' },
  inviteId: { required: false, description: 'An invite to a user group: sign-up is then for its address, and it can be accepted on the way' },
  response_mode: { required: false, description: '`both` (default), `fragment` or `query`' },
} as const;

export const AuthorizeQuery = () =>
  applyDecorators(...Object.entries(AUTHORIZE_PARAMETERS).map(([name, about]) => ApiQuery({ name, type: String, ...about })));

export const AuthorizeForm = () =>
  applyDecorators(
    ApiConsumes('application/x-www-form-urlencoded'),
    ApiBody({ schema: formOf(Object.entries(AUTHORIZE_PARAMETERS).map(([name, { description }]) => [name, description])) }),
  );

export const formOf = (fields: readonly (readonly [name: string, description: string])[]) => ({ type: 'object', properties: Object.fromEntries(fields.map(([name, description]) => [name, { type: 'string', description }])) });

const END_SESSION_PARAMETERS = {
  id_token_hint: 'An ID token of the person to be signed out, also one that has expired',
  client_id: 'The application, where there is no ID token to name it',
  post_logout_redirect_uri: 'One of the application\'s `_postLogoutRedirectUris`, exactly',
  state: 'Comes back unchanged',
  ui_locales: AUTHORIZE_PARAMETERS.ui_locales.description,
} as const;

export const EndSessionQuery = () =>
  applyDecorators(...Object.entries(END_SESSION_PARAMETERS).map(([name, description]) => ApiQuery({ name, type: String, required: false, description })));

export const EndSessionForm = () => applyDecorators(ApiConsumes('application/x-www-form-urlencoded'), ApiBody({ required: false, schema: formOf(Object.entries(END_SESSION_PARAMETERS)) }));

export const TokenForm = () => applyDecorators(ApiConsumes('application/x-www-form-urlencoded'), ApiBody({ type: TokenRequestDto }));

class TokenRequestDto {
  @ApiProperty({ enum: ['authorization_code', 'client_credentials', 'refresh_token'] })
  grant_type: string;

  @ApiPropertyOptional()
  code?: string;

  @ApiPropertyOptional()
  redirect_uri?: string;

  @ApiPropertyOptional()
  code_verifier?: string;

  @ApiPropertyOptional()
  refresh_token?: string;

  @ApiPropertyOptional()
  scope?: string;

  @ApiPropertyOptional({ description: 'Or with the secret as HTTP Basic' })
  client_id?: string;

  @ApiPropertyOptional()
  client_secret?: string;
}

export class TokenDto {
  @ApiProperty()
  access_token: string;

  @ApiProperty({ description: '`Bearer` on v2, `bearer` on v1' })
  token_type: string;

  @ApiProperty({ description: 'Seconds' })
  expires_in: number;

  @ApiPropertyOptional()
  scope?: string;

  @ApiPropertyOptional({ description: 'Only for applications that list the grant type `refresh_token`' })
  refresh_token?: string;

  @ApiPropertyOptional({ description: 'With the scope `openid`' })
  id_token?: string;

  @ApiProperty()
  jti: string;
}

/** OpenID Connect Core section 5.1. */
export class UserinfoDto {
  @ApiProperty({ description: 'Id of the user' })
  sub: string;

  @ApiPropertyOptional({ description: 'Whole name; this and what follows, up to the language, with the scope `profile`' })
  name?: string;

  @ApiPropertyOptional({ description: 'First name' })
  given_name?: string;

  @ApiPropertyOptional({ description: 'Last name' })
  family_name?: string;

  @ApiPropertyOptional({ description: 'Language of the user, such as `de`' })
  locale?: string;

  @ApiPropertyOptional({ description: 'With the scope `email`' })
  email?: string;

  @ApiPropertyOptional({ description: 'Whether the user has confirmed the address' })
  email_verified?: boolean;
}

/** RFC 7662 section 2.2. */
export class IntrospectionDto {
  @ApiProperty({ description: 'Whether the token is good; if not, nothing else is told' })
  active: boolean;

  @ApiPropertyOptional({ description: '`Bearer` or `refresh_token`' })
  token_type?: string;

  @ApiPropertyOptional({ description: 'The user, or the client itself' })
  sub?: string;

  @ApiPropertyOptional({ description: 'Who issued it' })
  iss?: string;

  @ApiPropertyOptional({ description: 'For whom it is' })
  aud?: string;

  @ApiPropertyOptional({ description: 'When it ends, in seconds since 1970' })
  exp?: number;

  @ApiPropertyOptional({ description: 'When it was issued, in seconds since 1970' })
  iat?: number;

  @ApiPropertyOptional({ description: 'Id of the token' })
  jti?: string;

  @ApiPropertyOptional({ description: 'The application or client that it was issued to' })
  client_id?: string;

  @ApiPropertyOptional({ description: 'Scopes, separated by spaces' })
  scope?: string;
}

/** RFC 7517 section 5. */
export class KeysDto {
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true }, description: 'JSON Web Keys; the `kid` of a token names its own' })
  keys: object[];
}

/** RFC 8414 section 2; what is told beside these is what that section names. */
export class DiscoveryDto {
  @ApiProperty({ description: 'Who issues tokens: their `iss`' })
  issuer: string;

  @ApiProperty({ description: 'Where sign-ins begin' })
  authorization_endpoint: string;

  @ApiProperty({ description: 'Where tokens are issued' })
  token_endpoint: string;

  @ApiProperty({ description: 'Where the keys are that tokens are signed with' })
  jwks_uri: string;

  @ApiProperty({ description: 'Scopes that may be asked for' })
  scopes_supported: string[];
}
