import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Res } from '@nestjs/common';
import {
  ApiBadRequestResponse, ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags,
} from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import type { FastifyReply } from 'fastify';
import { ApiJsonQuery, ApiListQuery, ApiTransactional } from '../storage/api-parameters';
import { CreateItems } from './create-items';
import { DeleteItem, type DeletedItem } from './delete-item';
import { DeletedItemDto, MadeItemPageDto, NamedItemChangeDto, NamedItemDto, NamedItemPageDto, NewNamedItemDto } from './named-item.dto';
import { NamedItemsService } from './named-items.service';

@ApiTags('named items')
@Controller('itemsvc/api/v1/nameduseritems')
export class NamedItemsController {
  constructor(
    private readonly items: NamedItemsService,
    private readonly creation: CreateItems,
    private readonly deletion: DeleteItem,
  ) {}

  @Post()
  @Allow('CREATE', 'itemsvc:nameduseritem')
  @ApiTransactional()
  @ApiOperation({ operationId: 'createItems', summary: 'Makes named items with their first version: all or none' })
  @ApiBody({ type: [NewNamedItemDto] })
  @ApiCreatedResponse({ type: MadeItemPageDto })
  @ApiBadRequestResponse({ description: 'Every fault, named by index' })
  async create(@Ctx() ctx: RequestContext, @Body() body: unknown): Promise<unknown> {
    return this.creation.run(ctx, body);
  }

  @Get()
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiListQuery()
  @ApiOperation({ operationId: 'listItems', summary: 'Lists named items', description: 'Tip versions are searched, unless `query` holds `"_versions.all": true`; then an item matches by any of its versions, and `_versions` holds all.' })
  @ApiOkResponse({ type: NamedItemPageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.items.list(ctx, query);
  }

  @Get(':id')
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiQuery({ name: '_versions.all', required: false, type: Boolean })
  @ApiJsonQuery('project', 'JSON object: path to 1 (include) or 0 (exclude)')
  @ApiOperation({ operationId: 'getItem', summary: 'One named item' })
  @ApiOkResponse({ type: NamedItemDto })
  @ApiNotFoundResponse()
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.items.get(ctx, id, query);
  }

  @Put(':id')
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @HttpCode(204)
  @ApiOperation({ operationId: 'updateItem', summary: 'Changes a named item', description: 'Other fields are ignored. `_namespaces` outside of `nsfilter` stay as they are; to take it out of one needs EDIT there.' })
  @ApiBody({ type: NamedItemChangeDto })
  @ApiNoContentResponse()
  @ApiNotFoundResponse()
  async update(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: unknown): Promise<void> {
    await this.items.update(ctx, id, body);
  }

  @Delete(':id')
  @Allow('DELETE', 'itemsvc:nameduseritem')
  @ApiTransactional()
  @ApiOperation({ operationId: 'deleteItem', summary: 'Deletes a named item with all that it holds and the relations that lead to it' })
  @ApiOkResponse({ type: [DeletedItemDto], description: 'NamedUserCollection and UserConfig' })
  @ApiNoContentResponse({ description: 'The other classes' })
  @ApiNotFoundResponse()
  async delete(@Ctx() ctx: RequestContext, @Param('id') id: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<DeletedItem[] | undefined> {
    const deleted = await this.deletion.run(ctx, id);
    void reply.status(deleted === undefined ? 204 : 200);
    return deleted;
  }
}
