import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Put } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, AllowSignedIn, Ctx, keepingBody, keepingNoContent, type RequestContext } from '@twinyard/auth';
import { APPLICATION_KEYS, KEYS_SCHEMA, limitsSchema, parseLimits } from '../namespaces/configuration';
import { Configurations } from '../namespaces/configurations.service';
import type { LimitValues } from './app.entity';
import { AppsService } from './apps.service';

const TYPE = 'passportsvc:app';
const anywhere = { nsfilter: 'ignored' } as const;
const LIMITS = { schema: limitsSchema(APPLICATION_KEYS) };

@ApiTags('configurations')
@Controller('passportsvc/api/v1/apps')
export class AppConfigurationsController {
  constructor(
    private readonly apps: AppsService,
    private readonly configurations: Configurations,
  ) {}

  @Get('configs')
  @AllowSignedIn()
  @ApiOperation({ operationId: 'listAppConfigurationKeys', summary: 'The keys that a configuration of an application may have' })
  @ApiOkResponse({ schema: KEYS_SCHEMA })
  keys() {
    return APPLICATION_KEYS;
  }

  @Get(':id/configs')
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'getAppConfiguration', summary: 'The configuration of an application; 404 when it has none' })
  @ApiOkResponse({ ...LIMITS, description: 'Limits by key' })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string) {
    return this.configurations.get('app', (await this.apps.getFor(ctx, 'READ', id)).id);
  }

  @Put(':id/configs')
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'replaceAppConfiguration', summary: 'Replaces the whole configuration' })
  @ApiBody(LIMITS)
  @ApiOkResponse({ ...LIMITS, description: 'Limits by key' })
  async replace(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: unknown) {
    const app = await this.apps.getFor(ctx, 'EDIT', id);
    return keepingBody(ctx, 200, (limits: LimitValues) => limits, (keep) => this.configurations.replace('app', app.id, parseLimits(body, APPLICATION_KEYS), keep));
  }

  @Patch(':id/configs')
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'mergeAppConfiguration', summary: 'Changes the given keys' })
  @ApiBody(LIMITS)
  @ApiOkResponse({ ...LIMITS, description: 'The given limits by key' })
  async merge(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: unknown) {
    const app = await this.apps.getFor(ctx, 'EDIT', id);
    return keepingBody(ctx, 200, (limits: LimitValues) => limits, (keep) => this.configurations.merge('app', app.id, parseLimits(body, APPLICATION_KEYS), keep));
  }

  @Delete(':id/configs')
  @HttpCode(204)
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'clearAppConfiguration', summary: 'Clears the configuration' })
  @ApiNoContentResponse()
  async clear(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<void> {
    const app = await this.apps.getFor(ctx, 'EDIT', id);
    await keepingNoContent(ctx, (keep) => this.configurations.clear('app', app.id, keep));
  }
}
