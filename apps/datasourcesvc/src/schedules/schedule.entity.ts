import { AuthoredEntity } from '@twinyard/service-kit';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RunParamsDto } from '../runs/run.dto';
import type { RunStarter } from '../runs/run.entity';
import { parseRunInterval, type Timing } from './due-times';

export const OVERLAPS = ['SKIP', 'QUEUE', 'ALLOW'] as const;
export type Overlap = (typeof OVERLAPS)[number];

export const CATCH_UPS = ['ONE', 'NONE', 'ALL'] as const;
export type CatchUp = (typeof CATCH_UPS)[number];

@Entity('orchestrator_schedule')
export class Schedule extends AuthoredEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'orchestrator_id' })
  orchestratorId!: string;

  /** Those of the orchestrator's in which it may have it run, should its writer hold the right then. */
  @Column('text', { array: true })
  namespaces!: string[];

  /** `"<hours> <minutes> <seconds>"`; either this or a pattern with its zone. */
  @Column('text', { name: 'run_interval', nullable: true })
  runInterval!: string | null;

  @Column('text', { nullable: true })
  cron!: string | null;

  @Column('text', { nullable: true })
  timezone!: string | null;

  @Column('boolean')
  enabled!: boolean;

  @Column('text')
  overlap!: Overlap;

  @Column('text', { name: 'catch_up' })
  catchUp!: CatchUp;

  @Column('jsonb', { name: 'actual_params' })
  actualParams!: readonly RunParamsDto[];

  /** Whoever last wrote it; it acts in no other name. */
  @Column('jsonb')
  writer!: RunStarter;

  /** What has no run yet; null: nothing comes any more, or it is switched off. */
  @Column('timestamptz', { name: 'next_due_at', nullable: true })
  nextDueAt!: Date | null;

  /** Runs in a row that its writer could not have started. */
  @Column('integer')
  refusals!: number;
}

export type ScheduleTiming = Pick<Schedule, 'runInterval' | 'cron' | 'timezone'>;

export function timingOf({ runInterval, cron, timezone }: ScheduleTiming): Timing {
  if (cron !== null && timezone !== null) return { cron, timezone };
  const everyMs = parseRunInterval(runInterval ?? '');
  if (everyMs === undefined) throw new Error('A schedule that is never due is kept');
  return { everyMs };
}

export const hasSameTiming = (one: ScheduleTiming, other: ScheduleTiming): boolean =>
  one.runInterval === other.runInterval && one.cron === other.cron && one.timezone === other.timezone;

/** Its job takes its turn with the first of them. */
export const namespaceOf = ({ namespaces: [namespace = ''] }: Pick<Schedule, 'namespaces'>): string => namespace;
