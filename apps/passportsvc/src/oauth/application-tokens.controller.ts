import { Controller, HttpCode, Post, Query } from '@nestjs/common';
import { ApiForbiddenResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { AllowSignedIn, Ctx, RequestContext } from '@twinyard/auth';
import { ApplicationTokens } from './application-tokens.service';
import { TokenDto } from './oauth.dto';

@ApiTags('oauth')
@Controller('passportsvc/api/v1/auth/token')
export class ApplicationTokensController {
  constructor(private readonly tokens: ApplicationTokens) {}

  @Post()
  @AllowSignedIn()
  @HttpCode(200)
  @ApiOperation({ summary: 'Another application\'s token for the same user', description: 'Scopes, session and authorization are those of the token that is shown.' })
  @ApiQuery({ name: 'appId', type: String, description: 'The application' })
  @ApiQuery({ name: 'expires_in', required: false, type: Number, description: 'Seconds' })
  @ApiOkResponse({ type: TokenDto })
  @ApiForbiddenResponse({ description: 'The application does not list the token\'s application in `_whitelistedApps`' })
  @ApiNotFoundResponse({ description: 'There is no such application' })
  async issue(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>): Promise<TokenDto> {
    return this.tokens.issue(ctx, query);
  }
}
