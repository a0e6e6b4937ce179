import { Controller, Get, Inject, Param, Query, UseFilters, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { AllowSignedIn } from '@twinyard/auth';
import { forbidden, notFound } from '@twinyard/conventions';
import { PASSPORT_SETTINGS, type PassportSettings } from '../../config';
import { SCIM_MEDIA_TYPE } from '../protocol/scim-answers';
import { ScimErrorFilter } from '../protocol/scim-error.filter';
import { BY_SCIM, ScimGuard } from '../protocol/scim.guard';
import type { JsonObject } from '../schema/attribute-values';
import { SCHEMAS } from '../schema/user-schema';
import { ApiScimErrors } from '../users/scim-user.dto';
import { type ListResponse, toListResponse } from '../users/scim-user.resource';
import { schemaResource, serviceProviderConfig, userResourceType } from './discovery-documents';

type QueryRecord = Record<string, unknown>;
const anObject = { schema: { type: 'object', additionalProperties: true } } as const;

@ApiTags('SCIM')
@ApiProduces(SCIM_MEDIA_TYPE)
@ApiScimErrors()
@UseGuards(ScimGuard)
@UseFilters(ScimErrorFilter)
@Controller('passportsvc/api/v1/scim')
export class ScimDiscoveryController {
  constructor(@Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings) {}

  @Get('ServiceProviderConfig')
  @AllowSignedIn(BY_SCIM)
  @ApiOperation({ operationId: 'getScimConfiguration', summary: 'What of SCIM is supported' })
  @ApiOkResponse(anObject)
  config(): JsonObject {
    return serviceProviderConfig(this.settings.BASE_URL);
  }

  @Get('ResourceTypes')
  @AllowSignedIn(BY_SCIM)
  @ApiOperation({ operationId: 'listScimResourceTypes', summary: 'The types of resources: users' })
  @ApiOkResponse(anObject)
  listTypes(@Query() query: QueryRecord): ListResponse {
    return whole([userResourceType(this.settings.BASE_URL)], query);
  }

  @Get('ResourceTypes/:id')
  @AllowSignedIn(BY_SCIM)
  @ApiOperation({ operationId: 'getScimResourceType', summary: 'One type of resources' })
  @ApiOkResponse(anObject)
  getType(@Param('id') id: string): JsonObject {
    if (id !== 'User') throw notFound('resource type', id);
    return userResourceType(this.settings.BASE_URL);
  }

  @Get('Schemas')
  @AllowSignedIn(BY_SCIM)
  @ApiOperation({ operationId: 'listScimSchemas', summary: 'The attributes of users' })
  @ApiOkResponse(anObject)
  listSchemas(@Query() query: QueryRecord): ListResponse {
    return whole(SCHEMAS.map((schema) => schemaResource(schema, this.settings.BASE_URL)), query);
  }

  @Get('Schemas/:id')
  @AllowSignedIn(BY_SCIM)
  @ApiOperation({ operationId: 'getScimSchema', summary: 'One schema, by its URN' })
  @ApiOkResponse(anObject)
  getSchema(@Param('id') id: string): JsonObject {
    const schema = SCHEMAS.find((one) => one.id.toLowerCase() === id.toLowerCase());
    if (schema === undefined) throw notFound('schema', id);
    return schemaResource(schema, this.settings.BASE_URL);
  }
}

/** RFC 7644 section 4: discovery is given whole, and a filter on it refused. */
function whole(resources: readonly JsonObject[], query: QueryRecord): ListResponse {
  if (query['filter'] !== undefined) throw forbidden('There are no filters here');
  return toListResponse(resources);
}
