import type { StepContext } from './step-context';

export interface ComponentParameter {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

/** What a step can do. One file each; listed in built-in-components.ts. */
export interface Component {
  /** Stable: clients keep it as `_compid`. */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly ComponentParameter[];
  /** May be started again after its worker died, so it does nothing twice. What it returns is `inparams` of the next step. */
  run(step: StepContext): Promise<unknown>;
}
