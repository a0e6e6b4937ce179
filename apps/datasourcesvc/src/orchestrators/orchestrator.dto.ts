import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { pageOf } from '@twinyard/service-kit';
import { ArrayMinSize, IsArray, IsBoolean, IsInt, IsNotEmpty, IsObject, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import type { ComponentCatalogue } from '../components/component-catalogue';
import { OrchestratorScheduleDto, toOrchestratorScheduleDto } from '../schedules/schedule.dto';
import type { Schedule } from '../schedules/schedule.entity';
import { toTaskTerms } from '../step-terms/step-terms';
import type { Orchestrator, OrchestratorStep } from './orchestrator.entity';

class StepRetryDto {
  @ApiProperty({ minimum: 0, maximum: 10, description: 'How often it is begun again' }) _max!: number;
  @ApiPropertyOptional({ default: '* * 1', example: '* * 30', description: '`"<hours> <minutes> <seconds>"`, `*` is 0, before the first time; it doubles from one to the next, up to a day, and is up to a quarter longer' }) _backoff?: string;
  @ApiPropertyOptional({ enum: ['ANY'], description: 'Also what is refused for good (400, 403, a script that throws)' }) _on?: 'ANY';
}

class StepTermsDto {
  @ApiPropertyOptional({ type: StepRetryDto, description: 'Without it the run fails with the step' }) _retry?: StepRetryDto;
  @ApiPropertyOptional({ example: '0 10 0', description: '`"<hours> <minutes> <seconds>"`, of one attempt; no time at all means no limit' }) _timeout?: string;
}

export class OrchestratorStepDto extends StepTermsDto {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid', description: 'The component; what a run names as `sequence_type_id`' }) _compid!: string;
  @ApiProperty({ format: 'uuid' }) _orchid!: string;
  @ApiProperty({ description: 'JSON text' }) _actualparams!: string;
  @ApiProperty() _sequenceno!: number;
  @ApiProperty() _name!: string;
  @ApiProperty({ description: 'Name of the component', example: 'ifc_import' }) _orchcomp!: string;
}

export class OrchestratorDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ maxLength: 200 })
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  _name!: string;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 2_000 })
  @IsOptional()
  @IsString()
  @MaxLength(2_000)
  _description?: string | null;

  @ApiProperty({ type: [String], description: 'Within `nsfilter`' })
  @IsArray()
  @ArrayMinSize(1)
  @IsString({ each: true })
  _namespaces!: string[];

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 200 })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  _userType?: string | null;

  @ApiProperty({ enum: ['NORMAL', 'SCHEDULED'], description: 'SCHEDULED while it has a schedule' })
  _class!: 'NORMAL' | 'SCHEDULED';

  @ApiPropertyOptional({ default: '2.0' })
  @IsOptional()
  @IsString()
  @MaxLength(20)
  _schemaversion?: string;

  @ApiPropertyOptional({ default: false, description: 'Its runs are done inside of the request that starts them' })
  @IsOptional()
  @IsBoolean()
  _instant?: boolean;

  @ApiPropertyOptional({ type: String, nullable: true, description: 'Runs act with the rights of this profile, within the namespaces of the run. It lies in each namespace of the orchestrator. Attaching one, and changing the tasks under it, needs ASSIGN on both' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  _permissionprofileid?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, example: '0 10 0', description: '`"<hours> <minutes> <seconds>"`, `*` is 0; a run that takes longer ends with ERROR. No time at all means no limit' })
  @IsOptional()
  @IsString()
  _timeout?: string | null;

  @ApiPropertyOptional({ type: Number, nullable: true, minimum: 1, maximum: 1_000, description: 'Runs of it at once; others stay QUEUED until one has ended' })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1_000)
  _maxConcurrent?: number | null;

  @ApiPropertyOptional({ default: false, description: 'Its runs stay QUEUED until it is false again; those that are RUNNING end' })
  @IsOptional()
  @IsBoolean()
  _paused?: boolean;

  @ApiProperty({ type: [OrchestratorStepDto] })
  orchsteps!: OrchestratorStepDto[];

  @ApiPropertyOptional({ type: OrchestratorScheduleDto })
  _orchschedule?: OrchestratorScheduleDto;

  @ApiProperty() _createdby!: string;
  @ApiProperty({ description: 'Epoch milliseconds' }) _createdat!: string;
  @ApiProperty() _updatedby!: string;
  @ApiProperty({ description: 'Epoch milliseconds' }) _updatedat!: string;
}

class TaskDto extends StepTermsDto {
  @ApiPropertyOptional({ description: 'Name or id of the component; also `name` or `_compid`', example: 'ifc_import' }) _orchcomp?: string;
  @ApiPropertyOptional() _name?: string;
  @ApiPropertyOptional({ description: 'Steps run in this order; the place in the array, if missing' }) _sequenceno?: number;
  @ApiPropertyOptional({ type: Object, description: 'An object or its JSON text' }) _actualparams?: object;
}

class TasksDto {
  @ApiProperty({ type: [TaskDto], minItems: 1, maxItems: 100 }) tasks!: TaskDto[];
}

/** Whole records may be sent back: steps come from `_params.tasks`, else from `orchsteps`; what the service owns is ignored. */
export class PutOrchestratorDto extends PickType(OrchestratorDto, [
  '_name', '_description', '_namespaces', '_userType', '_schemaversion', '_instant', '_permissionprofileid', '_timeout', '_maxConcurrent', '_paused',
] as const) {
  @ApiPropertyOptional({ type: TasksDto })
  @IsOptional()
  @IsObject()
  _params?: Record<string, unknown> | null;

  @ApiPropertyOptional({ type: [OrchestratorStepDto], description: 'Taken when there is no `_params`' })
  @IsOptional()
  @IsArray()
  orchsteps?: unknown[] | null;
}

export const OrchestratorPageDto = pageOf(OrchestratorDto);

const epochText = (date: Date) => String(date.getTime());

export const toOrchestratorDto = (orchestrator: Orchestrator, catalogue: ComponentCatalogue, schedule?: Schedule): OrchestratorDto => ({
  id: orchestrator.id,
  _name: orchestrator.name,
  _description: orchestrator.description,
  _namespaces: orchestrator.namespaces,
  _userType: orchestrator.userType,
  _class: schedule === undefined ? 'NORMAL' : 'SCHEDULED',
  _schemaversion: orchestrator.schemaVersion,
  _instant: orchestrator.instant,
  _permissionprofileid: orchestrator.permissionProfileId,
  _timeout: orchestrator.timeout,
  _maxConcurrent: orchestrator.maxConcurrent,
  _paused: orchestrator.paused,
  _createdby: orchestrator.createdById,
  _createdat: epochText(orchestrator.createdAt),
  _updatedby: orchestrator.updatedById,
  _updatedat: epochText(orchestrator.updatedAt),
  orchsteps: orchestrator.steps.map((step) => toStepDto(orchestrator.id, step, catalogue)),
  ...(schedule && { _orchschedule: toOrchestratorScheduleDto(schedule) }),
});

const toStepDto = (orchestratorId: string, step: OrchestratorStep, catalogue: ComponentCatalogue): OrchestratorStepDto => ({
  id: step.id,
  _compid: step.componentId,
  _orchid: orchestratorId,
  _actualparams: JSON.stringify(step.actualParams),
  _sequenceno: step.sequenceNo,
  _name: step.name,
  _orchcomp: catalogue.find(step.componentId)?.name ?? '',
  ...toTaskTerms(step),
});
