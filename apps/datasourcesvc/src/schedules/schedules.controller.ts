import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiConflictResponse, ApiNoContentResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { parsePaging } from '@twinyard/conventions';
import { CreateScheduleDto, PutScheduleDto, ScheduleDto, toScheduleDto } from './schedule.dto';
import { SchedulesService } from './schedules.service';

const BOUNDS = { defaultSize: 1_000, maxSize: 1_000 };
const LIST = 'An array. It has 1,000 at most, and fewer where they would weigh more than an answer may: the next ones come with `_offset` by as many, until none come.';
const WRITER = 'Needs EDIT and RUN on the orchestrator. Runs act with the permission profile of the orchestrator, else with the rights that whoever last wrote the schedule holds then; who changes what the orchestrator does writes it with that.';

@ApiTags('schedules')
@Controller('datasourcesvc/api/v1/orchschedules')
export class SchedulesController {
  constructor(private readonly schedules: SchedulesService) {}

  @Get()
  @Allow('READ', 'datasourcesvc:orchestrator')
  @ApiOperation({ operationId: 'listSchedules', summary: 'Schedules of the orchestrators that the caller may read', description: LIST })
  @ApiQuery({ name: '_offset', required: false, type: Number })
  @ApiQuery({ name: '_pageSize', required: false, type: Number, description: '1,000 by default and at most' })
  @ApiOkResponse({ type: [ScheduleDto] })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>): Promise<ScheduleDto[]> {
    return (await this.schedules.list(ctx, parsePaging(query, BOUNDS))).rows.map(toScheduleDto);
  }

  @Post()
  @Allow('EDIT', 'datasourcesvc:orchestrator')
  @HttpCode(200)
  @ApiOperation({ operationId: 'createSchedule', summary: 'Has an orchestrator run at its times', description: WRITER })
  @ApiOkResponse({ type: ScheduleDto })
  @ApiConflictResponse({ description: 'The orchestrator has a schedule already' })
  async create(@Ctx() ctx: RequestContext, @Body() body: CreateScheduleDto): Promise<ScheduleDto> {
    return toScheduleDto(await this.schedules.create(ctx, body));
  }

  @Get(':id')
  @Allow('READ', 'datasourcesvc:orchestrator')
  @ApiOperation({ operationId: 'getSchedule', summary: 'One schedule' })
  @ApiOkResponse({ type: ScheduleDto })
  @ApiNotFoundResponse()
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<ScheduleDto> {
    return toScheduleDto(await this.schedules.get(ctx, id));
  }

  @Put(':id')
  @Allow('EDIT', 'datasourcesvc:orchestrator')
  @ApiOperation({ operationId: 'updateSchedule', summary: 'Changes a schedule', description: `${WRITER} Fields that are not sent stay as they are; who sends one of \`runinterval\` and \`_cron\` has the other go. The next time stays while these do.` })
  @ApiOkResponse({ type: ScheduleDto })
  @ApiNotFoundResponse()
  async update(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: PutScheduleDto): Promise<ScheduleDto> {
    return toScheduleDto(await this.schedules.update(ctx, id, body));
  }

  @Delete(':id')
  @Allow('EDIT', 'datasourcesvc:orchestrator')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteSchedule', summary: 'Deletes a schedule', description: 'Needs EDIT and RUN on the orchestrator. Runs that were made stay; those under way go on.' })
  @ApiNoContentResponse()
  @ApiNotFoundResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<void> {
    await this.schedules.remove(ctx, id);
  }
}
