import type { FieldIssue } from '@twinyard/conventions';
import type { z } from 'zod';
import { readParams } from './component-params';
import type { StepContext } from './step-context';

/** By their names, each with a description. What a schema does not name is left alone. */
export type ParamsSchema = z.ZodObject;

/** What a step can do. One file each, made by `defineComponent` and listed in built-in-components.ts. */
export interface Component {
  /** Stable: clients keep it as `_compid`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Shown to clients as JSON Schema; what orchestrators and runs give is held to it when they are written. */
  readonly params: ParamsSchema;
  /** What cannot be together, whatever a run brings besides: an orchestrator is held to it too. */
  conflictsOf?(params: Readonly<Record<string, unknown>>): FieldIssue[];
  /** What is wrong between parameters of which each is right. */
  faultsOf?(params: Readonly<Record<string, unknown>>): FieldIssue[];
  /**
   * What is looked up when the run begins, before its first step: `prepared` of the step, JSON, which is kept for whoever takes the run over. Where it rejects there is none,
   * and the step has to look again.
   * `earlier`: what it has prepared for steps before this one.
   */
  prepare?(step: StepContext, earlier: readonly unknown[]): Promise<unknown>;
  /** May be started again after its worker died, so it does nothing twice. What it returns is `inparams` of the next step. */
  run(step: StepContext): Promise<unknown>;
  /**
   * Takes back what the step has made and not finished, when its run is cancelled, deleted, over its time or given up, or when it has failed and is not tried again. May be called again, and
   * after a death in the middle of it. What it cannot take back it throws: that stands in the log.
   */
  undo?(step: StepContext): Promise<void>;
  /** Lets go of what it has at hand, when the service stops. */
  close?(): Promise<void>;
}

interface ComponentDefinition<S extends ParamsSchema> extends Omit<Component, 'params' | 'prepare' | 'run'> {
  readonly params: S;
  prepare?(step: StepContext, params: z.output<S>, earlier: readonly unknown[]): Promise<unknown>;
  /** `params`: as the schema has them, with its defaults. */
  run(step: StepContext, params: z.output<S>): Promise<unknown>;
}

export function defineComponent<S extends ParamsSchema>(definition: ComponentDefinition<S>): Component {
  const { prepare, ...rest } = definition;
  return {
    ...rest,
    ...(prepare && { prepare: async (step: StepContext, earlier: readonly unknown[]) => prepare(step, readParams<S>(definition, step.params), earlier) }),
    // What it throws is the step's: a parameter that does not fit is the fault of whoever wrote the step.
    run: async (step) => definition.run(step, readParams<S>(definition, step.params)),
  };
}
