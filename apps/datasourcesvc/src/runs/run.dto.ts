import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ANY_JSON, pageOf } from '@twinyard/service-kit';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsNotEmpty, IsObject, IsOptional, IsString, ValidateNested } from 'class-validator';
import type { StepReport } from '../components/step-context';
import type { Run } from './run.entity';
import { isFinal, RUN_STATES, type RunState } from './run-state';
import type { RunStep } from './run-step.entity';
import type { StoredRun } from './runs.repository';

export class RunStepDto {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty() _name!: string;
  @ApiProperty({ format: 'uuid' }) orchstepid!: string;
  @ApiProperty({ format: 'uuid' }) _compid!: string;
  @ApiProperty({ format: 'uuid' }) _orchrunid!: string;
  @ApiProperty({ description: 'JSON text of what the component gets' }) _actualparams!: string;
  @ApiProperty({ type: Object, description: 'What the start of the run gave for this step' }) _runparams!: object;
  @ApiProperty() _sequenceno!: number;
  @ApiProperty({ enum: RUN_STATES }) _status!: RunState;
  @ApiProperty({ description: 'Why it failed, also where it is going to be tried again' }) _statusmsg!: string;
  @ApiProperty({ description: 'How often it was begun; taken over from a worker that died it is the same attempt' }) _attempts!: number;
}

class RunUsageDto {
  @ApiProperty({ description: 'Since it was begun, up to its end, waits included' }) _wallMs!: number;
  @ApiProperty({ description: 'To the platform' }) _requests!: number;
  @ApiProperty({ description: 'Of the bodies of these, in both directions' }) _bytes!: number;
  @ApiProperty({ description: 'For how long its scripts, and the processes that read and convert its models, kept processors busy; of the latter on Linux alone' }) _cpuMs!: number;
}

export class RunScheduleDto {
  @ApiProperty({ format: 'uuid' }) _id!: string;
  @ApiProperty({ description: 'The due time that the run is for: ISO 8601, UTC' }) _due!: string;
}

export class RunDto {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) _orchid!: string;
  @ApiProperty() _name!: string;
  @ApiProperty({ type: String, nullable: true }) _description!: string | null;
  @ApiProperty({ type: [String] }) _namespaces!: string[];
  @ApiProperty({ type: String, nullable: true }) _usertype!: string | null;
  @ApiProperty() _createdby!: string;
  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'number' }], description: 'Epoch milliseconds: a text in list and read, a number in the answer to its start' })
  _createdat!: string | number;
  @ApiProperty({ oneOf: [{ type: 'string' }, { type: 'number' }] })
  _updatedat!: string | number;
  @ApiProperty({ enum: RUN_STATES }) _status!: RunState;
  @ApiPropertyOptional({ anyOf: ANY_JSON, description: 'What the last step returned, once there is something: JSON text in list and read, the value itself in the answer to an instant start' })
  _result?: unknown;
  @ApiPropertyOptional({ type: Object, description: 'How far its running step is, else the last that told: `_done` of `_total`, and other figures of the component' })
  _progress?: StepReport;
  @ApiPropertyOptional({ type: RunUsageDto, description: 'Once it was begun' })
  _usage?: RunUsageDto;
  @ApiPropertyOptional({ format: 'uuid', description: 'The run that it goes on with, whose completed steps it has taken over' })
  _retryOf?: string;
  @ApiPropertyOptional({ type: RunScheduleDto, description: 'The schedule that made it' }) _orchschedule?: RunScheduleDto;
  @ApiProperty({ type: [RunStepDto] }) orchrunsteps!: RunStepDto[];
}

export const RunPageDto = pageOf(RunDto);

export class RunParamsDto {
  @ApiProperty({ description: '`_compid` of a step; a step’s `id` names one of several with the same component' })
  @IsString()
  @IsNotEmpty()
  sequence_type_id!: string;

  @ApiProperty({ type: Object, description: 'Override those of the step, key by key' })
  @IsObject()
  params!: Record<string, unknown>;
}

export const ParamsOfSteps = (description?: string) => applyDecorators(
  ApiPropertyOptional({ type: [RunParamsDto], ...(description !== undefined && { description }) }),
  IsOptional(), IsArray(), ArrayMaxSize(1_000), ValidateNested({ each: true }), Type(() => RunParamsDto),
);

export class StartRunDto {
  @ApiProperty({ format: 'uuid' })
  @IsString()
  @IsNotEmpty()
  orchestratorId!: string;

  @ParamsOfSteps()
  _actualParams?: RunParamsDto[] | null;

  @ParamsOfSteps('The same as `_actualParams`')
  _actualparams?: RunParamsDto[] | null;
}

export class CancelRunDto {
  @ApiProperty({ format: 'uuid', description: 'The same as in the path' })
  @IsString()
  @IsNotEmpty()
  id!: string;
}

export const toRunDto = ({ run, steps }: StoredRun): RunDto => ({
  ...fields(run),
  _createdat: String(run.createdAt.getTime()),
  _updatedat: String(run.updatedAt.getTime()),
  ...(run.result !== null && { _result: JSON.stringify(run.result) }),
  ...progressOf(steps),
  orchrunsteps: steps.map(toRunStepDto),
});

export const toStartedRunDto = ({ run, steps }: StoredRun): RunDto => ({
  ...fields(run),
  _createdat: run.createdAt.getTime(),
  _updatedat: run.updatedAt.getTime(),
  ...(run.result !== null && { _result: run.result }),
  ...progressOf(steps),
  orchrunsteps: steps.map(toRunStepDto),
});

function progressOf(steps: readonly RunStep[]): { readonly _progress?: StepReport } {
  const step = steps.find(({ state }) => state === 'RUNNING') ?? steps.findLast(({ report }) => report !== null);
  return step?.report ? { _progress: step.report } : {};
}

const fields = (run: Run) => ({
  id: run.id,
  _orchid: run.orchestratorId,
  _name: run.name,
  _description: run.description,
  _namespaces: run.namespaces,
  _usertype: run.userType,
  _createdby: run.createdById,
  _status: run.state,
  ...(run.startedAt !== null && { _usage: usageOf(run, run.startedAt) }),
  ...(run.retryOf !== null && { _retryOf: run.retryOf }),
  ...(run.scheduleId !== null && run.scheduleDueAt !== null && { _orchschedule: { _id: run.scheduleId, _due: run.scheduleDueAt.toISOString() } }),
});

const usageOf = ({ state, updatedAt, requests, bytes, processorMs }: Run, startedAt: Date): RunUsageDto => ({
  _wallMs: Math.max(0, (isFinal(state) ? updatedAt.getTime() : Date.now()) - startedAt.getTime()), _cpuMs: processorMs, _requests: requests, _bytes: bytes,
});

export const toRunStepDto = (step: RunStep): RunStepDto => ({
  id: step.id,
  _name: step.name,
  orchstepid: step.stepId,
  _compid: step.componentId,
  _orchrunid: step.runId,
  _actualparams: JSON.stringify(step.actualParams),
  _runparams: step.runParams ?? {},
  _sequenceno: step.sequenceNo,
  _status: step.state,
  _statusmsg: step.statusMessage,
  _attempts: step.attempts,
});
