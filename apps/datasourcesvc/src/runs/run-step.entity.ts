import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StepReport } from '../components/step-context';
import type { StepRetry } from '../step-terms/step-terms';
import type { RunState } from './run-state';

@Entity('orchestrator_run_step')
export class RunStep {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'run_id' })
  runId!: string;

  /** Steps run by this, which follows their sequence numbers. */
  @Column('integer')
  position!: number;

  /** The step of the orchestrator that it was copied from. */
  @Column('uuid', { name: 'step_id' })
  stepId!: string;

  @Column('uuid', { name: 'component_id' })
  componentId!: string;

  @Column('text')
  name!: string;

  @Column('integer', { name: 'sequence_no' })
  sequenceNo!: number;

  /** What the component gets: the orchestrator's, overridden by the run's. */
  @Column('jsonb', { name: 'actual_params' })
  actualParams!: Readonly<Record<string, unknown>>;

  /** What the start of the run gave for this step. */
  @Column('jsonb', { name: 'run_params', nullable: true })
  runParams!: Readonly<Record<string, unknown>> | null;

  @Column('text')
  state!: RunState;

  @Column('text', { name: 'status_message' })
  statusMessage!: string;

  @Column('jsonb', { nullable: true })
  result!: unknown;

  /** What the component saved to go on from after a takeover. */
  @Column('jsonb', { nullable: true })
  progress!: unknown;

  @Column('jsonb', { nullable: true })
  retry!: StepRetry | null;

  /** Of one attempt. */
  @Column('integer', { name: 'timeout_ms', nullable: true })
  timeoutMs!: number | null;

  /** How often it was begun, takeovers aside. */
  @Column('integer')
  attempts!: number;

  /** Of a step that has failed and is tried again: not before. Until then it is RUNNING, and no worker holds it. */
  @Column('timestamptz', { name: 'retry_at', nullable: true })
  retryAt!: Date | null;

  /** How far it is, for people. */
  @Column('jsonb', { nullable: true })
  report!: StepReport | null;
}
