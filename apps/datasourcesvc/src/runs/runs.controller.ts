import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBadRequestResponse, ApiHeader, ApiNoContentResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags, ApiTooManyRequestsResponse } from '@nestjs/swagger';
import { Allow, Ctx, keepingBody, RequestContext } from '@twinyard/auth';
import { booleanParameter, invalidField, type Page, parsePaging, toPage } from '@twinyard/conventions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FollowedLogs } from '../followed-logs/followed-logs';
import { parseLastEventId, sendEvents } from '../followed-logs/log-events';
import { CancelRuns } from '../run-requests/cancel-runs';
import { CancelledRunsDto, CancelRunsDto } from '../run-requests/cancel-runs.dto';
import { RetryRun } from '../run-requests/retry-run';
import { CancelRunDto, RunDto, RunPageDto, RunStepDto, StartRunDto, toRunDto, toRunStepDto, toStartedRunDto } from './run.dto';
import type { Run } from './run.entity';
import { parseRunFilter } from './run-query';
import { RUN_STATES } from './run-state';
import { RunsService } from './runs.service';
import { StartRun } from './start-run';

const PAGE_BOUNDS = { defaultSize: 20, maxSize: 1_000 };
/** Far above what components write. */
const LOG_BOUNDS = { defaultSize: 100_000, maxSize: 100_000 };
const LOG = [
  'A JSON string whose text is newline-separated JSON records. Where there are more than an answer holds, the last one has `_offset`: from where to ask for them.',
  'With `follow=true` the same records as server-sent events while they are written, each with the number of records up to it as its `id`, until the one with `end: true`. The line closes without it',
  'when the right to READ is withdrawn, the run is deleted, or the service stops; every 15 seconds without a record there is a comment.',
].join(' ');

@ApiTags('runs')
@Controller('datasourcesvc/api/v1/orchrun')
export class RunsController {
  constructor(
    private readonly runs: RunsService,
    private readonly startRun: StartRun,
    private readonly cancelRuns: CancelRuns,
    private readonly retryRun: RetryRun,
    private readonly followedLogs: FollowedLogs,
  ) {}

  @Get()
  @Allow('READ', 'datasourcesvc:orchestrator')
  @ApiOperation({ operationId: 'listRuns', summary: 'Runs of the orchestrators that the caller may read, the newest first' })
  @ApiQuery({ name: '_offset', required: false, type: Number })
  @ApiQuery({ name: '_pageSize', required: false, type: Number, description: '20 by default, at most 1,000' })
  @ApiQuery({ name: '_status', required: false, enum: RUN_STATES, isArray: true, description: 'Several mean any of them' })
  @ApiQuery({ name: 'orchestratorId', required: false, type: String, isArray: true, description: 'Several mean any of them' })
  @ApiQuery({ name: '_usertype', required: false, type: String, isArray: true, description: 'Of its orchestrator when it was started; several mean any of them' })
  @ApiQuery({ name: 'startDate', required: false, type: String, description: 'Made then or later; ISO 8601 or epoch milliseconds' })
  @ApiQuery({ name: 'endDate', required: false, type: String, description: 'Made then or earlier' })
  @ApiOkResponse({ type: RunPageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>): Promise<Page<RunDto>> {
    const paging = parsePaging(query, PAGE_BOUNDS);
    return toPage(await this.runs.list(ctx, parseRunFilter(query), paging), paging, toRunDto);
  }

  @Post()
  @Allow('RUN', 'datasourcesvc:orchestrator')
  @HttpCode(200)
  @ApiOperation({ operationId: 'startRun', summary: 'Starts a run', description: 'An orchestrator with `_instant` is run inside of the request, and the answer has `_result`.' })
  @ApiOkResponse({ type: RunDto })
  @ApiBadRequestResponse({ description: 'Also when 20 runs of the namespace are queued already, and `instant_timeout` when an instant run takes too long (30 s unless set otherwise): then it is cancelled' })
  async start(@Ctx() ctx: RequestContext, @Body() body: StartRunDto): Promise<RunDto> {
    return toStartedRunDto(await this.startRun.run(ctx, body));
  }

  @Post('cancel')
  @Allow('RUN', 'datasourcesvc:orchestrator')
  @HttpCode(200)
  @ApiOperation({ operationId: 'cancelRuns', summary: 'Asks several runs to stop', description: 'Each by itself: what is refused stands in `_failures` with the reason.' })
  @ApiOkResponse({ type: CancelledRunsDto })
  cancelSome(@Ctx() ctx: RequestContext, @Body() body: CancelRunsDto): Promise<CancelledRunsDto> {
    return this.cancelRuns.run(ctx, body);
  }

  @Get('logs/:id')
  @Allow('READ', 'datasourcesvc:orchestrator')
  @ApiOperation({ operationId: 'getRunLog', summary: 'The log of a run', description: LOG })
  @ApiQuery({ name: '_offset', required: false, type: Number, description: 'Records to leave out' })
  @ApiQuery({ name: '_pageSize', required: false, type: Number, description: 'Records; 100,000 by default and at most' })
  @ApiQuery({ name: 'follow', required: false, type: Boolean, description: 'Server-sent events; `_offset` and `_pageSize` are left aside' })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'With `follow`: the `id` behind which to go on' })
  @ApiOkResponse({ description: 'A JSON string, or events', content: { 'application/json': { schema: { type: 'string' } }, 'text/event-stream': { schema: { type: 'string' } } } })
  @ApiNoContentResponse({ description: 'With `follow`: there is nothing behind `Last-Event-ID`, and the run has ended' })
  @ApiNotFoundResponse()
  @ApiTooManyRequestsResponse({ description: 'With `follow`: too many logs are followed, of the namespace or of all' })
  async log(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (booleanParameter(query, 'follow')) return sendEvents(request, reply, await this.followedLogs.open(ctx, await this.runs.getRun(ctx, id), parseLastEventId(request)));
    return void reply.type('application/json; charset=utf-8').send(JSON.stringify(await this.runs.getLog(ctx, id, parsePaging(query, LOG_BOUNDS))));
  }

  @Get(':id')
  @Allow('READ', 'datasourcesvc:orchestrator')
  @ApiOperation({ operationId: 'getRun', summary: 'One run, in an array' })
  @ApiOkResponse({ type: [RunDto] })
  @ApiNotFoundResponse()
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<RunDto[]> {
    return [toRunDto(await this.runs.get(ctx, id))];
  }

  @Get(':id/steps')
  @Allow('READ', 'datasourcesvc:orchestrator')
  @ApiOperation({ operationId: 'listRunSteps', summary: 'The steps of a run, in order' })
  @ApiOkResponse({ type: [RunStepDto] })
  @ApiNotFoundResponse()
  async steps(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<RunStepDto[]> {
    return (await this.runs.get(ctx, id)).steps.map(toRunStepDto);
  }

  @Post(':id/retry')
  @Allow('RUN', 'datasourcesvc:orchestrator')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'retryRun',
    summary: 'Goes on with a run that has failed or was cancelled',
    description: 'By a new run of the caller’s, which takes over the results of the steps that were completed and begins the next one anew. Its steps are those of that run, whatever became of the orchestrator; its profile is still the orchestrator’s. It is never instant.',
  })
  @ApiOkResponse({ type: RunDto, description: 'The new run' })
  @ApiBadRequestResponse({ description: 'It has not ended, or is completed; its orchestrator is gone or has another permission profile; or 20 runs of the namespace are queued already' })
  @ApiNotFoundResponse()
  async retry(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<RunDto> {
    return toStartedRunDto(await this.retryRun.run(ctx, id));
  }

  @Put(':id')
  @Allow('RUN', 'datasourcesvc:orchestrator')
  @ApiOperation({ operationId: 'cancelRun', summary: 'Asks a run to stop', description: 'It ends as CANCELLED, unless it ends by itself before it notices.' })
  @ApiOkResponse({ type: [RunDto], description: 'The run, with an empty list of steps' })
  @ApiBadRequestResponse({ description: 'It has ended' })
  @ApiNotFoundResponse()
  async cancel(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: CancelRunDto): Promise<RunDto[]> {
    if (body.id !== id) throw invalidField('id', 'must be the one in the path');
    return keepingBody(ctx, 200, (run: Run) => [toRunDto({ run, steps: [] })], (keep) => this.runs.cancel(ctx, id, keep));
  }

  @Delete(':id')
  @Allow('DELETE', 'datasourcesvc:orchestrator')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteRun', summary: 'Deletes a run with its log', description: 'One that is under way stops.' })
  @ApiNoContentResponse()
  @ApiNotFoundResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<void> {
    await this.runs.remove(ctx, id);
  }
}
