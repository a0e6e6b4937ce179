import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, keepingBody, keepingNoContent, RequestContext } from '@twinyard/auth';
import { type Page, parsePaging, toPage } from '@twinyard/conventions';
import { PutTeamDto, TeamDto, TeamPageDto, toTeamDraft, toTeamDto } from './team.dto';
import { TeamsService } from './teams.service';

@ApiTags('teams')
@Controller('aisvc/api/v1/teams')
export class TeamsController {
  constructor(private readonly teams: TeamsService) {}

  @Post()
  @Allow('CREATE', 'aisvc:team')
  @HttpCode(200)
  @ApiOperation({ operationId: 'saveTeam', summary: 'Creates a team, or updates the one that `_id` names' })
  @ApiOkResponse({ type: TeamDto })
  @ApiNotFoundResponse({ description: 'There is no team with this `_id` that the caller may READ' })
  async put(@Ctx() ctx: RequestContext, @Body() body: PutTeamDto): Promise<TeamDto> {
    const draft = toTeamDraft(body);
    const { _id: id } = body;
    return keepingBody(ctx, 200, toTeamDto, (keep) => (id ? this.teams.update(ctx, id, draft, keep) : this.teams.create(ctx, draft, keep)));
  }

  @Get()
  @Allow('READ', 'aisvc:team')
  @ApiOperation({ operationId: 'listTeams', summary: 'Teams that the caller may read' })
  @ApiQuery({ name: '_offset', required: false, type: Number, description: 'Also `offset`' })
  @ApiQuery({ name: '_pageSize', required: false, type: Number, description: 'Also `pagesize`; 25 by default, at most 1,000' })
  @ApiOkResponse({ type: TeamPageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>): Promise<Page<TeamDto>> {
    const paging = parsePaging({ _offset: query['offset'], _pageSize: query['pagesize'], ...query });
    return toPage(await this.teams.list(ctx, paging), paging, toTeamDto);
  }

  @Get(':id')
  @Allow('READ', 'aisvc:team')
  @ApiOperation({ operationId: 'getTeam', summary: 'One team' })
  @ApiOkResponse({ type: TeamDto })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<TeamDto> {
    return toTeamDto(await this.teams.get(ctx, id));
  }

  @Delete(':id')
  @Allow('DELETE', 'aisvc:team')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteTeam', summary: 'Deletes a team' })
  @ApiNoContentResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<void> {
    await keepingNoContent(ctx, (keep) => this.teams.remove(ctx, id, keep));
  }
}
