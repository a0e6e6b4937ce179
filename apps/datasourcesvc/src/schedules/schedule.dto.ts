import { ApiProperty, ApiPropertyOptional, IntersectionType, PartialType, PickType } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';
import { ParamsOfSteps, type RunParamsDto } from '../runs/run.dto';
import { CATCH_UPS, type CatchUp, OVERLAPS, type Overlap, type Schedule } from './schedule.entity';

export class ScheduleDto {
  @ApiProperty({ format: 'uuid' })
  _id!: string;

  @ApiProperty({ format: 'uuid' })
  @IsString()
  @IsNotEmpty()
  _orchid!: string;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 40, example: '* * 30', description: '`"<hours> <minutes> <seconds>"`, `*` is 0; at least a second. Either this or `_cron`' })
  @IsOptional()
  @IsString()
  @MaxLength(40)
  runinterval?: string | null;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 200, example: '0 6 * * MON-FRI', description: 'Minute, hour, day, month, weekday; with six fields seconds come first' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  _cron?: string | null;

  @ApiPropertyOptional({
    type: String, nullable: true, maxLength: 64, example: 'Europe/Berlin',
    description: 'Of the IANA database, for `_cron`; UTC where it is missing. A time that clocks skip runs at the next that exists, one that comes twice runs once',
  })
  @IsOptional()
  @IsString()
  @MaxLength(64)
  _timezone?: string | null;

  @ApiProperty({ default: true, description: 'Switched off by the service when five runs in a row could not be started for want of the right' })
  @IsBoolean()
  _enabled!: boolean;

  @ApiProperty({ enum: OVERLAPS, default: 'SKIP', description: 'While a run of this schedule has not ended: none is made, it waits for its turn, or both run' })
  @IsIn(OVERLAPS)
  _overlap!: Overlap;

  @ApiProperty({ enum: CATCH_UPS, default: 'ONE', description: 'What was due more than a minute ago: one run for all, none, or one for each, 20 at most' })
  @IsIn(CATCH_UPS)
  _catchup!: CatchUp;

  @ApiProperty({ type: String, nullable: true, description: 'ISO 8601, UTC; null while it is switched off, and when its pattern does not come any more' })
  next_scheduled_time!: string | null;

  @ApiProperty({ description: 'Whether the run for that time is there: it is made when the time comes, and then the next time is shown' })
  next_scheduled_run_created!: boolean;

  @ParamsOfSteps('What each run is started with, as in a start by hand; 64 KB of JSON at most')
  _actualParams?: RunParamsDto[] | null;
}

/** Whole records may be sent back. What is missing stays, of a new one as the defaults say. */
export class PutScheduleDto extends PartialType(PickType(ScheduleDto, [
  '_orchid', 'runinterval', '_cron', '_timezone', '_enabled', '_overlap', '_catchup', '_actualParams',
] as const)) {}

export class CreateScheduleDto extends IntersectionType(PickType(ScheduleDto, ['_orchid'] as const), PartialType(PickType(ScheduleDto, [
  'runinterval', '_cron', '_timezone', '_enabled', '_overlap', '_catchup', '_actualParams',
] as const))) {}

/** As an orchestrator shows it: without what changes by itself, so that its tag stays the same. */
export class OrchestratorScheduleDto extends PickType(ScheduleDto, [
  '_id', '_orchid', 'runinterval', '_cron', '_timezone', '_enabled', '_overlap', '_catchup',
] as const) {}

export const toOrchestratorScheduleDto = (schedule: Schedule): OrchestratorScheduleDto => ({
  _id: schedule.id,
  _orchid: schedule.orchestratorId,
  runinterval: schedule.runInterval,
  _cron: schedule.cron,
  _timezone: schedule.timezone,
  _enabled: schedule.enabled,
  _overlap: schedule.overlap,
  _catchup: schedule.catchUp,
});

export const toScheduleDto = (schedule: Schedule): ScheduleDto => ({
  ...toOrchestratorScheduleDto(schedule),
  next_scheduled_time: schedule.nextDueAt?.toISOString() ?? null,
  next_scheduled_run_created: false,
  _actualParams: [...schedule.actualParams],
});
