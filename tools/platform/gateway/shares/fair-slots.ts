interface Caller {
  readonly name: string;
  active: number;
  readonly waiting: Set<() => void>;
}

export interface SlotTerms {
  /** Places there are. */
  readonly total: number;
  /** Of them for one caller. */
  readonly share: number;
}

/**
 * Places that callers share: none has more than its share of them, and those that wait are let in one caller after the other, so that
 * many requests of one wait for each other and not others for them.
 */
export class FairSlots {
  private readonly callers = new Map<string, Caller>();
  /** With somebody who waits and is below its share, in turn. */
  private readonly turns = new Set<Caller>();
  private taken = 0;

  constructor(private readonly terms: SlotTerms) {}

  /** Calls `enter` at once, or when there is a place. What it answers gives the place back, or gives up the wait for it. */
  take(name: string, enter: () => void): () => void {
    const caller = this.callers.get(name) ?? { name, active: 0, waiting: new Set() };
    this.callers.set(name, caller);
    caller.waiting.add(enter);
    this.queue(caller);
    this.letIn();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.leave(caller, enter);
    };
  }

  private leave(caller: Caller, enter: () => void): void {
    const hasWaited = caller.waiting.delete(enter);
    if (!hasWaited) {
      caller.active -= 1;
      this.taken -= 1;
    }
    this.queue(caller);
    if (caller.active === 0 && caller.waiting.size === 0) this.callers.delete(caller.name);
    this.letIn();
  }

  private letIn(): void {
    while (this.taken < this.terms.total) {
      const [caller] = this.turns;
      if (caller === undefined) return;
      this.turns.delete(caller);
      this.admitOneOf(caller);
    }
  }

  private admitOneOf(caller: Caller): void {
    const [enter] = caller.waiting;
    if (enter === undefined) return;
    caller.waiting.delete(enter);
    caller.active += 1;
    this.taken += 1;
    this.queue(caller);
    enter();
  }

  private queue(caller: Caller): void {
    if (caller.waiting.size > 0 && caller.active < this.terms.share) this.turns.add(caller);
    else this.turns.delete(caller);
  }
}
