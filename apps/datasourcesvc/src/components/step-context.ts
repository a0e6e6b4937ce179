import type { RunActor } from '../platform-client/platform-access';
import type { PlatformClient } from '../platform-client/platform-client';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
}

export interface StepReport {
  readonly _done?: number;
  readonly _total?: number;
  readonly [figure: string]: number | undefined;
}

/** What a component is given. */
export interface StepContext {
  readonly runId: string;
  /** Of the step of this run: the same after a takeover. */
  readonly stepId: string;
  readonly namespaces: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  /** What the step before returned; `null` for the first. */
  readonly inparams: unknown;
  /** What the component has prepared when the run began, whoever did. */
  readonly prepared?: unknown;
  /** A request waits for the run. */
  readonly isInstant: boolean;
  /** When the run began: the same in all its steps and attempts. */
  readonly runStartedAt: Date;
  /** The shorter one of the times that the step and its run may take; `null` where neither says. */
  readonly timeLimitMs: number | null;
  /** Whose rights the run has. */
  readonly actor: RunActor;
  /** The platform's public API with the rights of the run. */
  readonly platform: PlatformClient;
  /** Aborted when the run is cancelled, is over its time, or has been lost to another worker. */
  readonly signal: AbortSignal;
  /** What an earlier attempt of this step saved. */
  readonly progress: unknown;
  saveProgress(progress: unknown): Promise<void>;
  /** What the run shows as `_progress`: how far the step is, in whatever it counts. */
  report(report: StepReport): Promise<void>;
  /** For so many ms more it has kept a processor busy that nobody else could use. */
  worked(ms: number): void;
  log(level: LogLevel, message: string): Promise<void>;
  /** Several records at once. */
  logAll(lines: readonly LogLine[]): Promise<void>;
}
