import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import { ApiForbiddenResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AllowSignedIn, Ctx, ENDED_TOKEN, RequestContext } from '@twinyard/auth';
import { forbidden, unauthenticated } from '@twinyard/conventions';
import type { FastifyReply } from 'fastify';
import { UsersRepository } from '../users/users.repository';
import { toClaims } from './claims';
import { UserinfoDto } from './oauth.dto';

/** Which claims a scope opens (OpenID Connect Core section 5.4). */
const CLAIMS_OF_SCOPE: Readonly<Record<string, readonly string[]>> = {
  openid: ['sub'],
  profile: ['name', 'given_name', 'family_name', 'locale'],
  email: ['email', 'email_verified'],
};

@ApiTags('oauth')
@Controller('passportsvc/api/v1/oauth/userinfo')
export class UserinfoController {
  constructor(private readonly users: UsersRepository) {}

  @Get()
  @AllowSignedIn({ scope: 'own', needs: ['openid'] })
  @ApiOperation({ operationId: 'getUserinfo', summary: 'Claims about the user (OpenID Connect)' })
  @ApiOkResponse({ type: UserinfoDto })
  @ApiForbiddenResponse({ description: 'The token has no scope `openid`' })
  async get(@Ctx() ctx: RequestContext, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { id, scopes } = ctx.principal;
    void reply.header('Cache-Control', 'no-store');
    if (!scopes.includes('openid')) {
      void reply.header('WWW-Authenticate', 'Bearer error="insufficient_scope", scope="openid"');
      throw forbidden('The token has no scope openid: ask for it when you sign in');
    }
    const user = await this.users.findById(id);
    if (user === undefined) throw unauthenticated(ENDED_TOKEN);
    const open = new Set(scopes.flatMap((scope) => CLAIMS_OF_SCOPE[scope] ?? []));
    return Object.fromEntries(Object.entries(toClaims(user)).filter(([claim]) => open.has(claim)));
  }

  @Post()
  @AllowSignedIn({ scope: 'own', needs: ['openid'] })
  @HttpCode(200)
  @ApiOperation({ operationId: 'postUserinfo', summary: 'The same by POST' })
  @ApiOkResponse({ type: UserinfoDto })
  @ApiForbiddenResponse({ description: 'The token has no scope `openid`' })
  async post(@Ctx() ctx: RequestContext, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    return this.get(ctx, reply);
  }
}
