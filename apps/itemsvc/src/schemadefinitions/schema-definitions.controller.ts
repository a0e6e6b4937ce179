import { Body, Controller, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiBadRequestResponse, ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { SCHEMA_MODELS, SchemaDefinitionDto, SchemaTypesDto } from './schema-definition.dto';
import { SchemaDefinitionsService } from './schema-definitions.service';

@ApiTags('schema definitions')
@ApiExtraModels(...SCHEMA_MODELS)
@Controller('itemsvc/api/v1/schemadefinitions')
export class SchemaDefinitionsController {
  constructor(private readonly schemas: SchemaDefinitionsService) {}

  @Get()
  @Allow('READ', 'itemsvc:schemadefinition')
  @ApiOperation({ operationId: 'getSchemaDefinition', summary: 'The schema definition of a namespace', description: '`nsfilter` names one namespace. One that has none has an empty one.' })
  @ApiOkResponse({ type: SchemaDefinitionDto })
  @ApiBadRequestResponse({ description: '`nsfilter` names several namespaces' })
  async get(@Ctx() ctx: RequestContext): Promise<unknown> {
    return this.schemas.get(ctx);
  }

  @Put()
  @Allow('EDIT', 'itemsvc:schemadefinition')
  @ApiOperation({ operationId: 'saveSchemaDefinition', summary: 'Replaces the schema definition of a namespace', description: 'The whole of it: a list that is missing is empty. Related items are not held to it.' })
  @ApiBody({ type: SchemaTypesDto })
  @ApiOkResponse({ type: SchemaDefinitionDto })
  @ApiBadRequestResponse({ description: 'Every fault, with its path' })
  async put(@Ctx() ctx: RequestContext, @Body() body: unknown): Promise<unknown> {
    return this.schemas.put(ctx, body);
  }

  @Post('generate')
  @HttpCode(200)
  @Allow('READ', 'itemsvc:schemadefinition')
  @ApiOperation({
    operationId: 'generateSchemaDefinition',
    summary: 'Drafts a schema definition from the data of a namespace',
    description: 'A type for each collection that the caller may READ, from all items of its tip version: text with few values has an `_enum`, relations give relationship types, the latest readings reading types. Nothing is stored.',
  })
  @ApiOkResponse({ type: SchemaDefinitionDto })
  @ApiBadRequestResponse({ description: '`nsfilter` names several namespaces' })
  async generate(@Ctx() ctx: RequestContext): Promise<unknown> {
    return this.schemas.generate(ctx);
  }
}
