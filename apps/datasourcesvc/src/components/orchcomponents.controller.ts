import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { AllowSignedIn } from '@twinyard/auth';
import { notFound, type Page, parsePaging, toPage } from '@twinyard/conventions';
import { pageOf } from '@twinyard/service-kit';
import type { Component } from './component';
import { ComponentCatalogue } from './component-catalogue';

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

  @ApiProperty({ type: [ComponentParameterDto] })
  _params!: ComponentParameterDto[];
}

const ComponentPageDto = pageOf(ComponentDto);

@ApiTags('orchcomponents')
@Controller('datasourcesvc/api/v1/orchcomponents')
export class OrchcomponentsController {
  constructor(private readonly catalogue: ComponentCatalogue) {}

  @Get()
  @AllowSignedIn({ runs: true })
  @ApiOperation({ summary: 'What steps can do', description: 'The same for everybody.' })
  @ApiOkResponse({ type: ComponentPageDto })
  list(@Query() query: Record<string, unknown>): Page<ComponentDto> {
    const paging = parsePaging(query);
    const rows = this.catalogue.all.slice(paging.offset, paging.offset + paging.pageSize);
    return toPage({ rows, total: this.catalogue.all.length }, paging, toComponentDto);
  }

  @Get(':id')
  @AllowSignedIn({ runs: true })
  @ApiOperation({ summary: 'One component' })
  @ApiOkResponse({ type: ComponentDto })
  @ApiNotFoundResponse()
  get(@Param('id') id: string): ComponentDto {
    const component = this.catalogue.find(id);
    if (component === undefined) throw notFound('component', id);
    return toComponentDto(component);
  }
}

const toComponentDto = ({ id, name, description, parameters }: Component): ComponentDto => ({
  id,
  _name: name,
  _description: description,
  _params: parameters.map((parameter) => ({
    _name: parameter.name, _type: parameter.type, _required: parameter.required, _description: parameter.description,
  })),
});
