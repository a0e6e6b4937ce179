import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { AllowSignedIn } from '@twinyard/auth';
import { notFound, type Page, parsePaging, toPage } from '@twinyard/conventions';
import { pageOf } from '@twinyard/service-kit';
import type { Component } from './component';
import { ComponentCatalogue } from './component-catalogue';
import { type JsonSchema, schemaOf, shownParameters } from './component-schema';

class ComponentParameterDto {
  @ApiProperty() _name!: string;
  @ApiProperty() _type!: string;
  @ApiProperty() _required!: boolean;
  @ApiProperty() _description!: string;
}

class ComponentDto {
  @ApiProperty({ format: 'uuid', description: 'Stable; what a step names as `_compid`' })
  id!: string;

  @ApiProperty({ example: 'ifc_import' })
  _name!: string;

  @ApiProperty()
  _description!: string;

  @ApiProperty({ type: [ComponentParameterDto], description: 'The parameters, one by one' })
  _params!: ComponentParameterDto[];

  @ApiProperty({ type: 'object', additionalProperties: true, description: 'JSON Schema (2020-12) of all parameters, with defaults and examples: `_actualparams` of an orchestrator and the parameters of a run are held to it. What it does not name is left alone; an empty text counts as missing' })
  _schema!: JsonSchema;
}

const ComponentPageDto = pageOf(ComponentDto);

@ApiTags('components')
@Controller('datasourcesvc/api/v1/orchcomponents')
export class OrchcomponentsController {
  constructor(private readonly catalogue: ComponentCatalogue) {}

  @Get()
  @AllowSignedIn({ runs: true })
  @ApiOperation({ operationId: 'listOrchestratorComponents', summary: 'What steps can do', description: 'The same for everybody.' })
  @ApiOkResponse({ type: ComponentPageDto })
  list(@Query() query: Record<string, unknown>): Page<ComponentDto> {
    const paging = parsePaging(query);
    const rows = this.catalogue.all.slice(paging.offset, paging.offset + paging.pageSize);
    return toPage({ rows, total: this.catalogue.all.length }, paging, toComponentDto);
  }

  @Get(':id')
  @AllowSignedIn({ runs: true })
  @ApiOperation({ operationId: 'getOrchestratorComponent', summary: 'One component' })
  @ApiOkResponse({ type: ComponentDto })
  @ApiNotFoundResponse()
  get(@Param('id') id: string): ComponentDto {
    const component = this.catalogue.find(id);
    if (component === undefined) throw notFound('component', id);
    return toComponentDto(component);
  }
}

const toComponentDto = (component: Component): ComponentDto => ({
  id: component.id,
  _name: component.name,
  _description: component.description,
  _params: shownParameters(component).map(({ name, type, isRequired, description }) => ({ _name: name, _type: type, _required: isRequired, _description: description })),
  _schema: schemaOf(component),
});
