import { Controller, Get, HttpCode, Options, Post, Req, Res } from '@nestjs/common';
import { ApiBadRequestResponse, ApiConsumes, ApiExcludeEndpoint, ApiExtraModels, ApiFoundResponse, ApiOkResponse, ApiForbiddenResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Public } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthorizeForm, AuthorizeQuery, DiscoveryDto, EndSessionForm, EndSessionQuery, KeysDto, TokenForm, TokenDto } from './oauth.dto';
import { OidcProvider } from './oidc-provider.service';
import { rememberOrigin } from './request-origins';
import { UNREAD_BODY } from './unread-body';

/** Browsers go there themselves, and no script reads what is answered (RFC 9700 section 2.6). */
const NO_SCRIPTS = { cors: false } as const;
const END_SESSION = 'api/v1/oauth/end_session';
const AUTHORIZE = ['api/v2/oauth/authorize', 'api/v1/oauth/authorize'];

const HTML = { 'text/html': { schema: { type: 'string' } } };
const PAGE_OF_FAULT = { description: 'A page for the person at the browser: what is wrong with the request; for programs the error of RFC 6749 section 5.2' };

/** What a sign-in is at is kept, also where it is asked for by GET. */
const NO_ROOM = { status: 507, description: 'There is no room left to keep the sign-in' };

/** Routes that oidc-provider answers. They are declared here like any other, so that guard, limits and OpenAPI know them. */
@ApiTags('oauth')
@Controller('passportsvc')
export class OAuthController {
  constructor(private readonly oidc: OidcProvider) {}

  @Get(AUTHORIZE)
  @Public()
  @RouteConfig(NO_SCRIPTS)
  @AuthorizeQuery()
  @ApiOperation({ operationId: 'authorize', summary: 'Begins a sign-in (authorization code; PKCE with S256)', description: 'On v1 a confidential client may leave PKCE out, and `response_type=token` is for applications that list `implicit`.' })
  @ApiFoundResponse({ description: 'To the sign-in page, or to the redirect URI with `code`, `state` and `iss` in fragment and query' })
  @ApiBadRequestResponse(PAGE_OF_FAULT)
  @ApiResponse(NO_ROOM)
  async authorize(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.oidc.handle(request, reply);
  }

  @Post(AUTHORIZE)
  @Public()
  @RouteConfig({ ...UNREAD_BODY, ...NO_SCRIPTS })
  @AuthorizeForm()
  @ApiOperation({ operationId: 'authorizeByForm', summary: 'The same with the parameters in a form' })
  @ApiFoundResponse({ description: 'As for GET' })
  @ApiBadRequestResponse(PAGE_OF_FAULT)
  async authorizeByForm(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.oidc.handle(request, reply);
  }

  @Options([...AUTHORIZE, 'api/v2/oauth/authorize/:id'])
  @Public()
  @RouteConfig(NO_SCRIPTS)
  @HttpCode(204)
  @ApiExcludeEndpoint()
  refusePreflight(): void {}

  @Get('api/v2/oauth/authorize/:id')
  @Public()
  @RouteConfig(NO_SCRIPTS)
  @ApiOperation({ operationId: 'resumeAuthorization', summary: 'Goes on after the sign-in page', description: 'Only the browser that began the sign-in can call it.' })
  @ApiFoundResponse({ description: 'To the redirect URI' })
  @ApiBadRequestResponse(PAGE_OF_FAULT)
  @ApiResponse(NO_ROOM)
  async resume(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.oidc.handle(request, reply);
  }

  @Post(['api/v2/oauth/token', 'api/v1/oauth/token'])
  @Public()
  @RouteConfig(UNREAD_BODY)
  @TokenForm()
  @ApiQuery({ name: 'expiresIn', required: false, type: Number, description: 'Lifetime of a client-credentials token in seconds; default 1800' })
  @ApiOperation({ operationId: 'issueToken', summary: 'Exchanges a code, a refresh token or client credentials for an access token' })
  @ApiOkResponse({ type: TokenDto })
  @ApiForbiddenResponse({ description: 'Refused' })
  async token(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.oidc.handle(request, reply);
  }

  @Get('api/v1/oauth/jwks')
  @Public()
  @ApiOperation({ operationId: 'getKeys', summary: 'The keys that tokens are signed with (RFC 7517)' })
  @ApiExtraModels(KeysDto)
  @ApiOkResponse({ content: { 'application/jwk-set+json': { schema: { $ref: getSchemaPath(KeysDto) } } } })
  async jwks(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.oidc.handle(request, reply);
  }

  @Get(['.well-known/openid-configuration', '.well-known/oauth-authorization-server'])
  @Public()
  @ApiOperation({ operationId: 'getOpenIdConfiguration', summary: 'OpenID Connect discovery' })
  @ApiOkResponse({ type: DiscoveryDto })
  async discovery(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.oidc.handle(request, reply);
  }

  @Get(END_SESSION)
  @Public()
  @RouteConfig(NO_SCRIPTS)
  @EndSessionQuery()
  @ApiOperation({ operationId: 'endSession', summary: 'Signs somebody out (OpenID Connect RP-Initiated Logout 1.0)', description: 'With an ID token of the person who is signed in: at once. Without: a page asks. The session and every token issued in it stop working in every service before the answer is sent.' })
  @ApiFoundResponse({ description: 'To `post_logout_redirect_uri` with `state`, or to a page' })
  @ApiOkResponse({ description: 'The page that asks', content: HTML })
  @ApiBadRequestResponse(PAGE_OF_FAULT)
  @ApiResponse(NO_ROOM)
  async endSession(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    rememberOrigin(request);
    await this.oidc.handle(request, reply);
  }

  @Post(END_SESSION)
  @Public()
  @RouteConfig({ ...UNREAD_BODY, ...NO_SCRIPTS })
  @EndSessionForm()
  @ApiOperation({ operationId: 'endSessionByForm', summary: 'The same with the parameters in a form' })
  @ApiFoundResponse({ description: 'To the same by GET: the browser sends its cookie with it' })
  @ApiBadRequestResponse(PAGE_OF_FAULT)
  async endSessionByForm(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    rememberOrigin(request);
    await this.oidc.handle(request, reply);
  }

  @Get(`${END_SESSION}/success`)
  @Public()
  @ApiExcludeEndpoint()
  async sessionEnded(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.oidc.handle(request, reply);
  }

  @Post(`${END_SESSION}/confirm`)
  @Public()
  @RouteConfig(UNREAD_BODY)
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiOperation({ operationId: 'confirmEndOfSession', summary: 'The form of the page that asks whether to sign out; also ends the session of the user before, when another one signs in in the same browser' })
  @ApiFoundResponse()
  @ApiBadRequestResponse(PAGE_OF_FAULT)
  async confirmEnd(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    rememberOrigin(request);
    await this.oidc.handle(request, reply);
  }
}
