import { ServiceError, unavailable } from '@twinyard/conventions';

export interface FairShareTerms {
  /** What is done at a time, of all tenants together. */
  readonly places: number;
  /** Of the places, what one tenant holds at most when it is alone; above 0 and below 1, so that there is always one for another. */
  readonly share: number;
  /** What may wait, of one tenant. */
  readonly waiting: { readonly requests: number; readonly bytes: number };
  /** Longest wait. */
  readonly waitMs: number;
  /** What who may not wait is told, where tenants are no organizations. */
  readonly tooMany?: () => ServiceError;
  /** … and who has waited too long. */
  readonly tooLong?: () => ServiceError;
}

/** Gives the place back; as often as one likes. */
export type Leave = () => void;

interface Waiter {
  readonly bytes: number;
  readonly places: number;
  readonly admit: (leave: Leave) => void;
  readonly refuse: (error: ServiceError) => void;
  timer?: NodeJS.Timeout;
}

interface Tenant {
  running: number;
  waitingBytes: number;
  readonly waiting: Waiter[];
}

/**
 * Places for work that tenants ask for, so that none of them can hold all. A tenant gets another place while it holds less than its part of
 * what is left: alone it comes to `share`, two come to less each, and there is always one for whoever has none. Who must wait does so in its
 * tenant's line; lines take turns. Work that needs several places gets them together: where its tenant holds none, nobody else enters until
 * there are enough.
 */
export class FairShare {
  private readonly tenants = new Map<string, Tenant>();
  /** Tenants whose requests wait, whose turn is next first. */
  private readonly lines = new Set<string>();
  private taken = 0;
  /** What is left is kept for the next in line, which needs more. */
  private isKept = false;
  private readonly part: number;

  constructor(private readonly terms: FairShareTerms) {
    const { places, share } = terms;
    if (places < 2 || share <= 0 || share >= 1) throw new Error('a share is of two places at least, above 0 and below 1');
    this.part = share / (1 - share);
  }

  get running(): number {
    return this.taken;
  }

  get waiting(): number {
    return [...this.lines].reduce((sum, name) => sum + (this.tenants.get(name)?.waiting.length ?? 0), 0);
  }

  /** At once where there is a place, as there nearly always is. `bytes`: what the request holds while it waits. More `places` than there are: all of them. */
  enter(name: string, bytes = 0, places = 1): Leave | Promise<Leave> {
    const tenant = this.tenantOf(name);
    const wanted = Math.min(places, this.terms.places);
    if (this.mayEnter(tenant, wanted)) return this.take(name, tenant, wanted);
    return this.wait(name, tenant, { bytes, places: wanted });
  }

  /** As `enter`, but who finds no place is sent away. */
  enterNow(name: string, refusal: () => ServiceError): Leave {
    const tenant = this.tenantOf(name);
    if (this.mayEnter(tenant, 1)) return this.take(name, tenant, 1);
    this.forget(name, tenant);
    throw refusal();
  }

  /** `bytes`: as of `enter`. */
  async run<T>(name: string, work: () => Promise<T>, bytes = 0): Promise<T> {
    const leave = await this.enter(name, bytes);
    try {
      return await work();
    } finally {
      leave();
    }
  }

  private mayEnter(tenant: Tenant, places: number): boolean {
    return tenant.waiting.length === 0 && !this.isKept && this.hasPlaceFor(tenant, places);
  }

  /** The last place is for somebody who has none. */
  private hasPlaceFor({ running }: Tenant, places: number): boolean {
    const left = this.terms.places - this.taken;
    if (running === 0) return places <= left;
    return places < left && running + places - 1 < this.part * (left - places + 1);
  }

  private needsRoom({ running }: Tenant, places: number): boolean {
    return running === 0 && places > this.terms.places - this.taken;
  }

  private take(name: string, tenant: Tenant, places: number): Leave {
    tenant.running += places;
    this.taken += places;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      tenant.running -= places;
      this.taken -= places;
      this.forget(name, tenant);
      if (this.lines.size > 0) this.admit();
    };
  }

  private wait(name: string, tenant: Tenant, { bytes, places }: Pick<Waiter, 'bytes' | 'places'>): Promise<Leave> {
    const { waiting: most, waitMs } = this.terms;
    if (tenant.waiting.length >= most.requests || (bytes > 0 && tenant.waitingBytes + bytes > most.bytes)) {
      this.forget(name, tenant);
      throw this.terms.tooMany?.() ?? new ServiceError('too_many_requests', 'Too many requests of this organization wait already', { retryAfter: 1 });
    }
    return new Promise((admit, refuse) => {
      const waiter: Waiter = { bytes, places, admit, refuse };
      waiter.timer = setTimeout(() => this.giveUp(name, tenant, waiter), waitMs).unref();
      tenant.waiting.push(waiter);
      tenant.waitingBytes += bytes;
      this.lines.add(name);
      if (tenant.waiting.length === 1 && this.needsRoom(tenant, places)) this.isKept = true;
    });
  }

  private giveUp(name: string, tenant: Tenant, waiter: Waiter): void {
    tenant.waiting.splice(tenant.waiting.indexOf(waiter), 1);
    this.leaveLine(name, tenant, waiter);
    this.forget(name, tenant);
    if (this.isKept) this.admit();
    waiter.refuse(this.terms.tooLong?.() ?? unavailable('Other requests of this organization take too long'));
  }

  /** Turn by turn, until nobody may enter any more. */
  private admit(): void {
    this.isKept = false;
    for (let passed = 0; passed < this.lines.size;) {
      const name = this.lines.values().next().value as string;
      const tenant = this.tenantOf(name);
      const { places } = tenant.waiting[0] as Waiter;
      if (this.needsRoom(tenant, places)) {
        this.isKept = true;
        return;
      }
      this.lines.delete(name);
      this.lines.add(name);
      passed = this.hasPlaceFor(tenant, places) ? 0 : passed + 1;
      if (passed === 0) this.admitNext(name, tenant);
    }
  }

  private admitNext(name: string, tenant: Tenant): void {
    const waiter = tenant.waiting.shift() as Waiter;
    clearTimeout(waiter.timer);
    this.leaveLine(name, tenant, waiter);
    waiter.admit(this.take(name, tenant, waiter.places));
  }

  private leaveLine(name: string, tenant: Tenant, { bytes }: Waiter): void {
    tenant.waitingBytes -= bytes;
    if (tenant.waiting.length === 0) this.lines.delete(name);
  }

  private tenantOf(name: string): Tenant {
    const known = this.tenants.get(name);
    if (known !== undefined) return known;
    const tenant: Tenant = { running: 0, waitingBytes: 0, waiting: [] };
    this.tenants.set(name, tenant);
    return tenant;
  }

  private forget(name: string, { running, waiting }: Tenant): void {
    if (running === 0 && waiting.length === 0) this.tenants.delete(name);
  }
}
