import type { Target } from '@twinyard/auth';
import { AuthoredEntity } from '@twinyard/service-kit';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StepTerms } from '../step-terms/step-terms';

export interface OrchestratorStep extends StepTerms {
  readonly id: string;
  readonly componentId: string;
  readonly name: string;
  readonly sequenceNo: number;
  readonly actualParams: Readonly<Record<string, unknown>>;
}

/** Its class follows from whether it has a schedule; the column of that name is for replicas of the release before. */
@Entity('orchestrator')
export class Orchestrator extends AuthoredEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @Column('text', { nullable: true })
  description!: string | null;

  @Column('text', { array: true })
  namespaces!: string[];

  @Column('text', { name: 'user_type', nullable: true })
  userType!: string | null;

  @Column('text', { name: 'schema_version' })
  schemaVersion!: string;

  /** Its runs are done inside of the request that starts them. */
  @Column('boolean')
  instant!: boolean;

  @Column('text', { name: 'permission_profile_id', nullable: true })
  permissionProfileId!: string | null;

  /** `"<hours> <minutes> <seconds>"` */
  @Column('text', { nullable: true })
  timeout!: string | null;

  /** Runs of it at once. */
  @Column('integer', { name: 'max_concurrent', nullable: true })
  maxConcurrent!: number | null;

  /** Its runs stay QUEUED; those that are under way end. */
  @Column('boolean')
  paused!: boolean;

  /** In the order in which they run. */
  @Column('jsonb')
  steps!: readonly OrchestratorStep[];
}

/** What permissions on an orchestrator, and on its runs, are asked with; `*` for one that is not there yet. */
export const orchestratorTarget = (namespaces: readonly string[], id = '*'): Target => ({ type: 'datasourcesvc:orchestrator', id, namespaces });
