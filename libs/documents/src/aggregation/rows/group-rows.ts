import type { AnyObject } from 'mingo/types';
import { valuesOf } from '../mingo-operators';
import { type Accumulator, expressionOf, type GroupState, stateOf } from './group-states';
import { bytesOf, type HeldRows, Holding } from './held-rows';
import type { Pace } from './pace';
import { nameOf } from './value-name';

type Outputs = Readonly<Record<string, unknown>>;

/** The fields of groups, each with what makes it. */
export class GroupFields {
  /** What they ask of each row. */
  readonly expressions: readonly unknown[];
  private readonly fields: readonly (readonly [name: string, accumulator: Accumulator])[];

  constructor(outputs: Outputs) {
    this.fields = Object.entries(outputs).map(([name, accumulator]) => [name, Object.entries(accumulator as object)[0] as Accumulator]);
    this.expressions = this.fields.map(([, accumulator]) => expressionOf(accumulator));
  }

  /** Of a new group. */
  states(holding: Holding): readonly GroupState[] {
    return this.fields.map(([, accumulator]) => stateOf(accumulator, holding));
  }

  results(states: readonly GroupState[]): Outputs {
    return Object.fromEntries(this.fields.map(([name], place) => [name, states[place]?.result()]));
  }
}

interface Group {
  readonly id: unknown;
  readonly holding: Holding;
  readonly states: readonly GroupState[];
}

/** `$group` over rows that come some at a time: mingo evaluates what is asked of each, and of a group is kept what its accumulators need. */
export class GroupRows {
  private readonly fields: GroupFields;
  private readonly evaluated: (rows: readonly AnyObject[]) => Iterable<readonly unknown[]>;
  private readonly groups = new Map<string, Group>();

  constructor({ _id, ...outputs }: Outputs, private readonly held: HeldRows, private readonly pace: Pace) {
    this.fields = new GroupFields(outputs);
    this.evaluated = valuesOf([_id, ...this.fields.expressions]);
  }

  /** Errors: `limit_exceeded`, `query_too_slow`, `invalid` for what cannot be computed. */
  async add(rows: readonly AnyObject[]): Promise<void> {
    for (const [id, ...values] of this.evaluated(rows)) {
      if (this.pace.isDue) await this.pace.rest();
      const { states } = this.groupOf(id ?? null);
      for (const [place, state] of states.entries()) state.add(values[place]);
    }
  }

  /** In the order in which they came. Those that have gone on are held no more. */
  *all(): Generator<AnyObject, void> {
    for (const [name, { id, holding, states }] of this.groups) {
      this.groups.delete(name);
      holding.giveAll();
      yield { _id: id, ...this.fields.results(states) };
    }
  }

  private groupOf(id: unknown): Group {
    const name = nameOf(id);
    const known = this.groups.get(name);
    if (known !== undefined) return known;
    const holding = new Holding(this.held);
    holding.take(bytesOf(id) + bytesOf(name));
    const group = { id, holding, states: this.fields.states(holding) };
    this.groups.set(name, group);
    return group;
  }
}
