import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put, Query, type Type } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { capitalized, invalidField, listParameter, type Page, parsePaging, type QueryValues, textParameter, toPage } from '@twinyard/conventions';
import { pageOf } from '@twinyard/service-kit';
import { oneNamespace, parseBody } from './parse-body';
import type { Resource } from './resource';
import { namedDraft, type ResourceDto, toResourceDto } from './resource.dto';
import type { ResourceKind } from './resource-kind';
import type { ResourceFilter } from './resources.repository';
import { type Created, ResourcesService } from './resources.service';

type Query_ = Record<string, unknown>;
const BOUNDS = { defaultSize: 10, maxSize: 1_000 };

/** The five operations of one kind of record (contract 7). */
export function resourceController<D extends ResourceDto>(kind: ResourceKind<D>): Type {
  const type = `notificationsvc:${kind.kind}` as const;
  // The service passes bodies on as they are: of which kind they are matters here alone.
  const erased = kind as unknown as ResourceKind;
  const noun = capitalized(kind.kind);
  const toDto = (resource: Resource) => toResourceDto(kind.shown === undefined ? resource : { ...resource, body: kind.shown(resource.body) });
  const toCreated = ({ resource, once }: Created) => ({ ...toDto(resource), ...once });

  @ApiTags(`${kind.kind}s`)
  @Controller(`notificationsvc/api/v1/${kind.kind}`)
  class ResourceController {
    constructor(@Inject(ResourcesService) private readonly resources: ResourcesService) {}

    @Get()
    @Allow('READ', type, { nsfilter: 'optional' })
    @ApiOperation({ operationId: `list${noun}s`, summary: `Lists ${kind.kind}s that the caller may read` })
    @ApiQuery({ name: '_count', required: false, type: Number, description: 'Page size, 10 by default' })
    @ApiQuery({ name: '_offset', required: false, type: Number })
    @ApiQuery({ name: '_name', required: false })
    @ApiQuery({ name: '_namespace', required: false })
    @ApiQuery({ name: '_nsFilter', required: false })
    @ApiOkResponse({ type: pageOf(kind.dto) })
    async list(@Ctx() ctx: RequestContext, @Query() query: Query_): Promise<Page<ResourceDto>> {
      const paging = parsePaging({ _pageSize: query['_count'], ...query }, BOUNDS);
      return toPage(await this.resources.list(ctx, erased, toFilter(query), paging), paging, toDto);
    }

    @Post()
    @Allow('CREATE', type, { nsfilter: 'optional' })
    @HttpCode(200)
    @ApiOperation({ operationId: `create${noun}`, summary: `Makes a ${kind.kind}` })
    @ApiBody({ type: kind.named ? namedDraft(kind.dto) : kind.dto })
    @ApiOkResponse({ type: kind.dto })
    async create(@Ctx() ctx: RequestContext, @Body() body: unknown): Promise<ResourceDto> {
      const dto = parseBody(kind, body);
      if (kind.named && dto._name === undefined) throw invalidField('_name', 'is required');
      const draft = { namespace: oneNamespace(ctx, dto._namespaces), body: kind.toBody(dto), ...(dto._name !== undefined && { name: dto._name }) };
      return toCreated(await this.resources.create(ctx, erased, draft, (created) => ({ status: 200, body: toCreated(created) })));
    }

    @Get(':id')
    @Allow('READ', type, { nsfilter: 'optional' })
    @ApiOperation({ operationId: `get${noun}`, summary: `One ${kind.kind}` })
    @ApiOkResponse({ type: kind.dto })
    async get(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<ResourceDto> {
      return toDto(await this.resources.get(ctx, erased, id));
    }

    @Put(':id')
    @Allow('EDIT', type, { nsfilter: 'optional' })
    @ApiOperation({ operationId: `update${noun}`, summary: `Replaces a ${kind.kind}` })
    @ApiBody({ type: kind.dto })
    @ApiQuery({ name: '_version', required: false, type: Number, description: 'Optimistic lock: 409 when stale' })
    @ApiOkResponse({ type: kind.dto })
    async update(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: unknown, @Query() query: Query_): Promise<ResourceDto> {
      const stored = await this.resources.get(ctx, erased, id);
      const dto = parseBody(kind, body);
      if (dto._name !== undefined && dto._name !== stored.name) throw invalidField('_name', 'never changes');
      const version = lockOf(query) ?? versionIn(body);
      return toDto(await this.resources.update(ctx, erased, { stored, body: kind.toBody(dto, stored.body), version }, (changed) => ({ status: 200, body: toDto(changed) })));
    }

    @Delete(':id')
    @Allow('DELETE', type, { nsfilter: 'optional' })
    @ApiOperation({ operationId: `delete${noun}`, summary: `Deletes a ${kind.kind}` })
    @ApiQuery({ name: '_version', required: false, type: Number, description: 'Optimistic lock: 409 when stale' })
    @ApiOkResponse({ description: '`{}`', schema: { type: 'object', description: 'Nothing' } })
    async remove(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Query_): Promise<object> {
      await this.resources.remove(ctx, erased, id, lockOf(query));
      return {};
    }
  }
  return ResourceController;
}

function toFilter(query: QueryValues): ResourceFilter {
  const name = textParameter(query, '_name');
  const namespaces = listParameter(query, '_namespace') ?? listParameter(query, '_nsFilter');
  return { ...(name !== undefined && name !== '' && { name }), ...(namespaces !== undefined && namespaces.length > 0 && { namespaces }) };
}

const versionIn = (body: unknown) => toVersion((body as { _version?: unknown } | null)?._version);
const lockOf = (query: QueryValues) => toVersion(textParameter(query, '_version'));

function toVersion(value: unknown): number | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const version = Number(value);
  if (!Number.isSafeInteger(version)) throw invalidField('_version', 'must be a whole number');
  return version;
}
