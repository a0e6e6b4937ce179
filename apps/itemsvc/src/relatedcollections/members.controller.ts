import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBadRequestResponse, ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { ApiListQuery, ApiVersionQuery } from '../storage/api-parameters';
import { MemberPageDto } from './member.dto';
import { MembersService } from './members.service';

@ApiTags('composites')
@ApiVersionQuery()
@Controller('itemsvc/api/v1/nameduseritems/:id/relatedcollections')
export class MembersController {
  constructor(private readonly members: MembersService) {}

  @Post()
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @ApiOperation({ operationId: 'addMembers', summary: 'Makes items members of a composite', description: 'Pins their tips, or the versions named; a member again is pinned anew.' })
  @ApiBody({ schema: { type: 'array', items: {} }, description: '`_id` or `_userItemId`, or `{ _userItemId, _userItemVersionId? }`' })
  @ApiCreatedResponse({ type: MemberPageDto })
  @ApiBadRequestResponse({ description: 'Every fault, named by index' })
  async add(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Body() body: unknown): Promise<unknown> {
    return this.members.add(ctx, id, query, body);
  }

  @Get()
  @Allow('READ', 'itemsvc:nameduseritem')
  @ApiListQuery()
  @ApiOperation({ operationId: 'listMembers', summary: 'Lists the members that the caller may READ' })
  @ApiOkResponse({ type: MemberPageDto })
  async list(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<unknown> {
    return this.members.list(ctx, id, query);
  }

  @Delete(':relationId')
  @Allow('EDIT', 'itemsvc:nameduseritem')
  @HttpCode(204)
  @ApiOperation({ operationId: 'removeMember', summary: 'Ends a membership' })
  @ApiNoContentResponse()
  @ApiNotFoundResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string, @Param('relationId') relationId: string, @Query() query: Record<string, unknown>): Promise<void> {
    await this.members.remove(ctx, id, relationId, query);
  }
}
