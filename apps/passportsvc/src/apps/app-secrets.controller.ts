import { Controller, Delete, HttpCode, Param, Post } from '@nestjs/common';
import { ApiForbiddenResponse, ApiNoContentResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, keepingBody, keepingNoContent, type RequestContext } from '@twinyard/auth';
import { AppSecrets } from './app-secrets.service';

const TYPE = 'passportsvc:app';
const anywhere = { nsfilter: 'ignored' } as const;

class AppSecretDto {
  @ApiProperty({ description: 'The id of the application' })
  client_id: string;

  @ApiProperty({ description: 'Shown this once' })
  client_secret: string;
}

@ApiTags('applications')
@ApiForbiddenResponse({ description: 'The caller may not edit the application' })
@ApiNotFoundResponse({ description: 'There is no such application' })
@Controller('passportsvc/api/v1/apps/:id/secret')
export class AppSecretsController {
  constructor(private readonly secrets: AppSecrets) {}

  @Post()
  @HttpCode(200)
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'replaceAppSecret', summary: 'A new client secret for an application', description: 'It is a confidential client from then on. An older secret stops working at once.' })
  @ApiOkResponse({ type: AppSecretDto })
  async replace(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<AppSecretDto> {
    return keepingBody(ctx, 200, (secret: string) => ({ client_id: id, client_secret: secret }), (keep) => this.secrets.replace(ctx, id, keep));
  }

  @Delete()
  @HttpCode(204)
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'deleteAppSecret', summary: 'Takes the client secret of an application away: it is a public client again' })
  @ApiNoContentResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<void> {
    await keepingNoContent(ctx, (keep) => this.secrets.remove(ctx, id, keep));
  }
}
