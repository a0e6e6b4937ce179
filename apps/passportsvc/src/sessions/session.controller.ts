import { Controller, Get, HttpCode } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiPropertyOptional, ApiResponse, ApiTags } from '@nestjs/swagger';
import { AllowSignedIn, Ctx, RequestContext } from '@twinyard/auth';
import type { Principal } from '@twinyard/conventions';
import { Sessions } from './sessions.service';

class PrincipalInfoDto {
  @ApiProperty({ enum: ['user', 'client'] })
  _type: Principal['type'];

  @ApiPropertyOptional()
  _userid?: string;

  @ApiProperty()
  _clientid: string;

  @ApiPropertyOptional()
  _appid?: string;

  @ApiProperty({ type: [String] })
  _scopes: readonly string[];
}

@ApiTags('sessions')
@Controller('passportsvc/api/v1')
export class SessionController {
  constructor(private readonly sessions: Sessions) {}

  @Get('logout')
  @AllowSignedIn()
  @HttpCode(204)
  @ApiOperation({ operationId: 'logout', summary: 'Ends the session', description: 'It and every token issued in it stop working in every service before the answer is sent.' })
  @ApiNoContentResponse()
  @ApiResponse({ status: 507, description: 'There is no room left to keep that it has ended' })
  async logout(@Ctx() ctx: RequestContext): Promise<void> {
    const { principal } = ctx;
    // What a client's token belongs to is its secret, which a logout does not end.
    if (principal.type === 'user' && principal.sessionId !== undefined) await this.sessions.end(principal.sessionId, ctx);
    else if (principal.oauthGrantId !== undefined) await this.sessions.revokeAuthorization(principal.oauthGrantId, ctx);
  }

  @Get('principalinfo')
  @AllowSignedIn({ runs: true })
  @ApiOperation({ operationId: 'getPrincipalInfo', summary: 'Whose token this is' })
  @ApiOkResponse({ type: PrincipalInfoDto })
  principalInfo(@Ctx() { principal }: RequestContext): PrincipalInfoDto {
    const { type, id, appId, scopes } = principal;
    if (type === 'client') return { _type: type, _clientid: id, _scopes: scopes };
    return { _type: type, _userid: id, _clientid: appId ?? '', ...(appId !== undefined && { _appid: appId }), _scopes: scopes };
  }
}
