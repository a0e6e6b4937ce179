import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Put } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, AllowSignedIn, Ctx, keepingBody, keepingNoContent, type RequestContext } from '@twinyard/auth';
import type { LimitValues } from '../apps/app.entity';
import { KEYS_SCHEMA, limitsSchema, ORGANIZATION_KEYS, parseLimits } from '../namespaces/configuration';
import { Configurations } from '../namespaces/configurations.service';
import { OrganizationsService } from './organizations.service';

const TYPE = 'passportsvc:organization';
const anywhere = { nsfilter: 'ignored' } as const;
const LIMITS = { schema: limitsSchema(ORGANIZATION_KEYS) };

@ApiTags('configurations')
@Controller('passportsvc/api/v1/organizations')
export class OrganizationConfigurationsController {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly configurations: Configurations,
  ) {}

  @Get('configs')
  @AllowSignedIn()
  @ApiOperation({ operationId: 'listOrganizationConfigurationKeys', summary: 'The keys that a configuration of an organization may have' })
  @ApiOkResponse({ schema: KEYS_SCHEMA })
  keys() {
    return ORGANIZATION_KEYS;
  }

  @Get(':id/configs')
  @Allow('READ', TYPE, anywhere)
  @ApiOperation({ operationId: 'getOrganizationConfiguration', summary: 'The configuration of an organization; 404 when it has none' })
  @ApiOkResponse({ ...LIMITS, description: 'Limits by key' })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string) {
    return this.configurations.get('organization', (await this.organizations.getFor(ctx, 'READ', id)).id);
  }

  @Put(':id/configs')
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'replaceOrganizationConfiguration', summary: 'Replaces the whole configuration' })
  @ApiBody(LIMITS)
  @ApiOkResponse({ ...LIMITS, description: 'Limits by key' })
  async replace(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: unknown) {
    const organization = await this.organizations.getFor(ctx, 'EDIT', id);
    return keepingBody(ctx, 200, (limits: LimitValues) => limits, (keep) => this.configurations.replace('organization', organization.id, parseLimits(body, ORGANIZATION_KEYS), keep));
  }

  @Patch(':id/configs')
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'mergeOrganizationConfiguration', summary: 'Changes the given keys' })
  @ApiBody(LIMITS)
  @ApiOkResponse({ ...LIMITS, description: 'The given limits by key' })
  async merge(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: unknown) {
    const organization = await this.organizations.getFor(ctx, 'EDIT', id);
    return keepingBody(ctx, 200, (limits: LimitValues) => limits, (keep) => this.configurations.merge('organization', organization.id, parseLimits(body, ORGANIZATION_KEYS), keep));
  }

  @Delete(':id/configs')
  @HttpCode(204)
  @Allow('EDIT', TYPE, anywhere)
  @ApiOperation({ operationId: 'clearOrganizationConfiguration', summary: 'Clears the configuration' })
  @ApiNoContentResponse()
  async clear(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<void> {
    const organization = await this.organizations.getFor(ctx, 'EDIT', id);
    await keepingNoContent(ctx, (keep) => this.configurations.clear('organization', organization.id, keep));
  }
}
