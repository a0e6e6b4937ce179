import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { type Page, parsePaging } from '@twinyard/conventions';
import { OrchestratorRecords } from '../schedules/orchestrator-records';
import { OrchestratorDto, OrchestratorPageDto, PutOrchestratorDto } from './orchestrator.dto';
import { OrchestratorsService } from './orchestrators.service';

const CHANGE = [
  'Runs that were started before go on with the old steps. Fields that are not sent stay as they are.',
  'Where it has a schedule that is not switched off and no permission profile, changing what its runs do, or taking the profile away, needs RUN too: the schedule acts in the name of whoever does so from then on.',
].join(' ');

@ApiTags('orchestrators')
@Controller('datasourcesvc/api/v1/orchestrators')
export class OrchestratorsController {
  constructor(
    private readonly orchestrators: OrchestratorsService,
    private readonly records: OrchestratorRecords,
  ) {}

  @Get()
  @Allow('READ', 'datasourcesvc:orchestrator')
  @ApiOperation({ operationId: 'listOrchestrators', summary: 'Orchestrators that the caller may read' })
  @ApiQuery({ name: '_offset', required: false, type: Number })
  @ApiQuery({ name: '_pageSize', required: false, type: Number, description: '25 by default, at most 1,000' })
  @ApiOkResponse({ type: OrchestratorPageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>): Promise<Page<OrchestratorDto>> {
    const paging = parsePaging(query);
    return this.records.toPage(await this.orchestrators.list(ctx, paging), paging);
  }

  @Post()
  @Allow('CREATE', 'datasourcesvc:orchestrator')
  @HttpCode(200)
  @ApiOperation({ operationId: 'createOrchestrator', summary: 'Makes an orchestrator' })
  @ApiOkResponse({ type: OrchestratorDto })
  async create(@Ctx() ctx: RequestContext, @Body() body: PutOrchestratorDto): Promise<OrchestratorDto> {
    return this.records.toRecord(await this.orchestrators.create(ctx, body));
  }

  @Get(':id')
  @Allow('READ', 'datasourcesvc:orchestrator')
  @ApiOperation({ operationId: 'getOrchestrator', summary: 'One orchestrator' })
  @ApiOkResponse({ type: OrchestratorDto })
  @ApiNotFoundResponse()
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<OrchestratorDto> {
    return this.records.toRecord(await this.orchestrators.get(ctx, id));
  }

  @Put(':id')
  @Allow('EDIT', 'datasourcesvc:orchestrator')
  @ApiOperation({ operationId: 'updateOrchestrator', summary: 'Changes an orchestrator', description: CHANGE })
  @ApiOkResponse({ type: OrchestratorDto })
  @ApiNotFoundResponse()
  async update(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: PutOrchestratorDto): Promise<OrchestratorDto> {
    return this.records.toRecord(await this.orchestrators.update(ctx, id, body));
  }

  @Delete(':id')
  @Allow('DELETE', 'datasourcesvc:orchestrator')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteOrchestrator', summary: 'Deletes an orchestrator', description: 'Its schedule goes with it. Its runs stay: those that wait are cancelled, those under way are asked to.' })
  @ApiNoContentResponse()
  @ApiNotFoundResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<void> {
    await this.orchestrators.remove(ctx, id);
  }
}
