import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBadRequestResponse, ApiBody, ApiConflictResponse, ApiCreatedResponse, ApiNoContentResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { IndexPageDto, NewIndexDto } from './index.dto';
import { IndexesService } from './indexes.service';

@ApiTags('indexes')
@Controller('itemsvc/api/v1/nameduseritems/:id/indexes')
export class IndexesController {
  constructor(private readonly indexes: IndexesService) {}

  @Get()
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiOperation({ operationId: 'listIndexes', summary: 'Lists the indexes of a collection' })
  @ApiOkResponse({ type: IndexPageDto })
  async list(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.indexes.list(ctx, id, query);
  }

  @Post()
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @ApiOperation({ operationId: 'createIndex', summary: 'Makes indexes for all versions of a collection', description: 'One text index, 64 indexes at most.' })
  @ApiBody({ type: [NewIndexDto] })
  @ApiCreatedResponse({ type: IndexPageDto })
  @ApiBadRequestResponse()
  @ApiConflictResponse({ description: 'Another index has the name, or the items break a unique one' })
  async create(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: unknown): Promise<unknown> {
    return this.indexes.create(ctx, id, body);
  }

  @Delete()
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @HttpCode(204)
  @ApiQuery({ name: 'name', required: true, type: String })
  @ApiOperation({ operationId: 'deleteIndex', summary: 'Removes an index' })
  @ApiNoContentResponse()
  @ApiNotFoundResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<void> {
    await this.indexes.remove(ctx, id, query);
  }
}
