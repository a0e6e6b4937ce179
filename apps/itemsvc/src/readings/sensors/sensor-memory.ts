import type { ScopeArea } from '@twinyard/auth';

/** Sensors that are remembered, of all callers together. */
const MOST = 100_000;
/** When there are more, so many of them are forgotten of the caller who has most, those first that were not asked for the longest. */
const FORGOTTEN_PART = 0.01;
/** How long a sensor that was nowhere is believed to be nowhere. */
const MISSING_MS = 60_000;

/** A look through all collections that a caller could reach, in which a sensor was not found. */
export interface VainLook {
  readonly areas: readonly ScopeArea[];
  readonly began: number;
  /** How often sensors had been made before it began. */
  readonly made: number;
}

/**
 * Where callers have found sensors by their ids, and which they have found nowhere. Where one was is only where it is looked for first. That one was
 * nowhere counts until this process makes sensors, the caller may reach more, or a minute has passed, so that a gateway that sends readings of a sensor that
 * nobody knows has not all its collections looked through each time; what another process makes is noticed by then.
 */
export class SensorMemory {
  private readonly callers = new Map<string, Map<string, string | VainLook>>();
  private size = 0;
  private made = 0;

  constructor(private readonly most = MOST, private readonly now: () => number = () => performance.now()) {}

  /** To be begun before the first question, since what is made meanwhile may not be seen. */
  look(areas: readonly ScopeArea[]): VainLook {
    return { areas, began: this.now(), made: this.made };
  }

  /** The collection. */
  homeOf(caller: string, id: string): string | undefined {
    const known = this.get(caller, id);
    return typeof known === 'string' ? known : undefined;
  }

  isMissing(caller: string, id: string, areas: readonly ScopeArea[]): boolean {
    const known = this.get(caller, id);
    if (known === undefined || typeof known === 'string') return false;
    return known.made === this.made && this.now() < known.began + MISSING_MS && areas.every((area) => known.areas.includes(area));
  }

  /** The collection that it was found in, or the look that did not find it. */
  remember(caller: string, id: string, outcome: string | VainLook): void {
    this.forget(caller, id);
    const own = this.callers.get(caller) ?? new Map<string, string | VainLook>();
    this.callers.set(caller, own.set(id, outcome));
    this.size += 1;
    if (this.size > this.most) this.forgetSome();
  }

  forget(caller: string, id: string): void {
    const own = this.callers.get(caller);
    if (!own?.delete(id)) return;
    this.size -= 1;
    if (own.size === 0) this.callers.delete(caller);
  }

  /** Any of those that were nowhere may be among them. */
  sensorsWereMade(): void {
    this.made += 1;
  }

  private get(caller: string, id: string): string | VainLook | undefined {
    const own = this.callers.get(caller);
    const known = own?.get(id);
    if (own === undefined || known === undefined) return undefined;
    own.delete(id);
    own.set(id, known);
    return known;
  }

  private forgetSome(): void {
    const [caller = '', own = new Map<string, string | VainLook>()] = [...this.callers].reduce((one, other) => (other[1].size > one[1].size ? other : one));
    for (const id of [...own.keys()].slice(0, Math.ceil(this.most * FORGOTTEN_PART))) this.forget(caller, id);
  }
}
