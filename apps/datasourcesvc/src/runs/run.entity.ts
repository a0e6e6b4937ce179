import type { IssuableScopes } from '@twinyard/auth';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { RunState } from './run-state';

/** In whose name a run acts, unless its orchestrator has a permission profile. */
export interface RunStarter {
  readonly type: 'user' | 'client';
  readonly id: string;
  readonly appId?: string;
  readonly scopes: IssuableScopes;
  /** Of a run that started it under a permission profile: it has no more rights than that one. */
  readonly profileId?: string;
}

const AS_NUMBER = { from: Number, to: (count: number) => count };

/** Replicas of the release before keep their leases in further columns of the table: see left-over-runs.ts. */
@Entity('orchestrator_run')
export class Run {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'orchestrator_id' })
  orchestratorId!: string;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { array: true })
  namespaces!: string[];

  @Column('text', { name: 'user_type', nullable: true })
  userType!: string | null;

  @Column('text')
  state!: RunState;

  /** What the last step returned. */
  @Column('jsonb', { nullable: true })
  result!: unknown;

  @Column('boolean')
  instant!: boolean;

  @Column('text', { name: 'permission_profile_id', nullable: true })
  permissionProfileId!: string | null;

  @Column('integer', { name: 'timeout_ms', nullable: true })
  timeoutMs!: number | null;

  @Column('jsonb')
  starter!: RunStarter;

  /** Of the request that started it; its events name it. */
  @Column('text', { name: 'request_id' })
  requestId!: string;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;

  @Column('text', { name: 'created_by_id' })
  createdById!: string;

  /** The run that it goes on with, where that one has failed or was cancelled. */
  @Column('uuid', { name: 'retry_of', nullable: true })
  retryOf!: string | null;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null;

  /** To the platform, as far as its workers could write them down. */
  @Column('bigint', { transformer: AS_NUMBER })
  requests!: number;

  /** Of their bodies, in both directions. */
  @Column('bigint', { transformer: AS_NUMBER })
  bytes!: number;

  /** Of its scripts, in ms. */
  @Column('bigint', { name: 'processor_ms', transformer: AS_NUMBER })
  processorMs!: number;

  /** The schedule that made it, and the due time that it is for: there is one run of both at most. */
  @Column('uuid', { name: 'schedule_id', nullable: true })
  scheduleId!: string | null;

  @Column('timestamptz', { name: 'schedule_due_at', nullable: true })
  scheduleDueAt!: Date | null;

  /** It begins when the earlier runs of its schedule have ended. */
  @Column('boolean', { name: 'in_turn' })
  inTurn!: boolean;
}
