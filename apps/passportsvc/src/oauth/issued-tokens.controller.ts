import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOkResponse, ApiOperation, ApiTags, ApiUnauthorizedResponse } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AuthenticatedClient, ClientAuthentication } from './client-authentication';
import { IssuedTokens } from './issued-tokens.service';
import { formOf, IntrospectionDto } from './oauth.dto';

type Form = Readonly<Record<string, unknown>> | undefined;

const TOKEN_PARAMETERS = {
  token: 'The access token or refresh token',
  client_id: 'Id of the application or client, where it does not come as HTTP Basic',
  client_secret: 'Its secret, where it has one and it does not come as HTTP Basic',
} as const;
const TOKEN_FORM = { schema: { ...formOf(Object.entries(TOKEN_PARAMETERS)), required: ['token'] } };

@ApiTags('oauth')
@Controller('passportsvc/api/v1/oauth')
export class IssuedTokensController {
  constructor(
    private readonly authentication: ClientAuthentication,
    private readonly tokens: IssuedTokens,
  ) {}

  @Post('revoke')
  @Public()
  @HttpCode(200)
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiBody(TOKEN_FORM)
  @ApiOperation({ operationId: 'revokeToken', summary: 'Revokes a token and all of its authorization (RFC 7009)' })
  @ApiOkResponse({ description: 'Also for an unknown token', schema: { type: 'object', description: 'Nothing' } })
  @ApiUnauthorizedResponse({ description: '`invalid_client`' })
  async revoke(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() form: Form): Promise<void> {
    await this.answer(request, reply, form, async (client, token) => {
      await this.tokens.revoke(client, token);
      return {};
    });
  }

  @Post('introspect')
  @Public()
  @HttpCode(200)
  @ApiConsumes('application/x-www-form-urlencoded')
  @ApiBody(TOKEN_FORM)
  @ApiOperation({ operationId: 'introspectToken', summary: 'Tells whether a token is active (RFC 7662)', description: 'Clients of the platform may ask about every token, applications about their own.' })
  @ApiOkResponse({ type: IntrospectionDto })
  @ApiUnauthorizedResponse({ description: '`invalid_client`' })
  async introspect(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() form: Form): Promise<void> {
    await this.answer(request, reply, form, async (client, token) => (client.isConfidential ? this.tokens.introspect(client, token) : undefined));
  }

  private async answer(request: FastifyRequest, reply: FastifyReply, form: Form, work: (client: AuthenticatedClient, token: string) => Promise<object | undefined>): Promise<void> {
    const client = await this.authentication.authenticate(request, form ?? {});
    const token = form?.['token'];
    void reply.header('Cache-Control', 'no-store');
    if (client !== undefined && typeof token !== 'string') {
      await reply.status(400).send({ error: 'invalid_request', error_description: 'token is required' });
      return;
    }
    const answer = client && (await work(client, token as string));
    if (answer === undefined) await reply.status(401).header('WWW-Authenticate', 'Basic').send({ error: 'invalid_client', error_description: 'client authentication failed' });
    else await reply.status(200).send(answer);
  }
}
