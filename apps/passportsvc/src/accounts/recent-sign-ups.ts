const MINUTE_MS = 60_000;
const MAX_ADDRESSES = 10_000;

/** Counts the sign-ups of the last minute by address. */
export class RecentSignUps {
  private readonly byAddress = new Map<string, number[]>();

  constructor(private readonly perMinute: number) {}

  /** Seconds to wait; 0 when this one may go on, which then counts. */
  add(address: string, now: number): number {
    const recent = (this.byAddress.get(address) ?? []).filter((at) => at > now - MINUTE_MS);
    const [first] = recent;
    if (recent.length >= this.perMinute && first !== undefined) return Math.ceil((first + MINUTE_MS - now) / 1_000);
    this.byAddress.delete(address);
    this.byAddress.set(address, [...recent, now]);
    if (this.byAddress.size > MAX_ADDRESSES) this.byAddress.delete(this.byAddress.keys().next().value as string);
    return 0;
  }
}
