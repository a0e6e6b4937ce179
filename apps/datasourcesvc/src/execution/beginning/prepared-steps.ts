/** Larger than what any orchestrator prepares that people write: of more, whoever takes the run over looks again. Characters of JSON. */
const LARGEST = 16 * 1_048_576;

interface Kept {
  readonly values: readonly unknown[];
  /** By the id of a step, the place of its value. */
  readonly places: Readonly<Record<string, number>>;
}

/** What components have prepared for the steps of a run (Component.prepare), by the ids of the steps; several may have the same. */
export class PreparedSteps {
  private readonly byStep: ReadonlyMap<string, unknown>;

  constructor(prepared: Iterable<readonly [stepId: string, value: unknown]> = []) {
    this.byStep = new Map(prepared);
  }

  static parse(text: string): PreparedSteps {
    const { values, places } = JSON.parse(text) as Kept;
    return new PreparedSteps(Object.entries(places).map(([stepId, place]) => [stepId, values[place]]));
  }

  of(stepId: string): unknown {
    return this.byStep.get(stepId);
  }

  /** To be kept with the run; `undefined` where there is nothing, or too much. */
  text(): string | undefined {
    const values = [...new Set(this.byStep.values())];
    const places = Object.fromEntries([...this.byStep].map(([stepId, value]) => [stepId, values.indexOf(value)]));
    const text = JSON.stringify({ values, places } satisfies Kept);
    return values.length > 0 && text.length <= LARGEST ? text : undefined;
  }
}
