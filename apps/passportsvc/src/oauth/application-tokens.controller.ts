import { Controller, HttpCode, Post, Query, Req } from '@nestjs/common';
import { ApiBasicAuth, ApiBearerAuth, ApiForbiddenResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags, ApiUnauthorizedResponse } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import type { FastifyRequest } from 'fastify';
import { ApplicationTokens } from './application-tokens.service';
import { TokenDto } from './oauth.dto';
import { TokenBearer } from './token-bearer';

@ApiTags('oauth')
@Controller('passportsvc/api/v1/auth/token')
export class ApplicationTokensController {
  constructor(
    private readonly tokens: ApplicationTokens,
    private readonly bearers: TokenBearer,
  ) {}

  @Post()
  @Public()
  @HttpCode(200)
  @ApiOperation({ operationId: 'issueApplicationToken', summary: 'Another application\'s token for the same user', description: 'Scopes, session and authorization are those of the token that is shown, which needs the scope `write`. An access key as HTTP Basic, `_id:_secret`, gives a token of its scopes as a token of the application would that it was made in, and none that outlives it.' })
  @ApiBearerAuth()
  @ApiBasicAuth()
  @ApiUnauthorizedResponse({ description: 'No or bad token or access key' })
  @ApiQuery({ name: 'appId', schema: { type: 'string', minLength: 1 }, description: 'The application' })
  @ApiQuery({ name: 'expires_in', required: false, schema: { type: 'integer', minimum: 1 }, description: 'Seconds' })
  @ApiOkResponse({ type: TokenDto })
  @ApiForbiddenResponse({ description: 'The application does not list the token\'s application in `_whitelistedApps`, the token has no scope `write`, or it is that of a run' })
  @ApiNotFoundResponse({ description: 'There is no such application' })
  async issue(@Req() request: FastifyRequest, @Query() query: Record<string, unknown>): Promise<TokenDto> {
    return this.tokens.issue(await this.bearers.authenticate(request.headers.authorization), query);
  }
}
