import type { EffectiveGrants } from './grants';
import type { GrantResolveResponse, GrantSyncResponse, InvalidationKey } from './passport-protocol';

interface Entry {
  readonly effective: EffectiveGrants;
  readonly keys: readonly InvalidationKey[];
}

const MAX_ENTRIES = 10_000;

/** Principal → grants, with an index from what can change to the entries that it makes stale. */
export class GrantCache {
  private readonly entries = new Map<string, Entry>();
  private readonly byKey = new Map<InvalidationKey, Set<string>>();
  private appliedSeq = -1;

  /** Highest change that was applied; what the next sync request acknowledges. */
  get seq(): number {
    return this.appliedSeq;
  }

  get size(): number {
    return this.entries.size;
  }

  get(name: string): EffectiveGrants | undefined {
    return this.entries.get(name)?.effective;
  }

  /** An answer that was read before a change that has been applied here since is used once and not kept. */
  put(name: string, answer: GrantResolveResponse): void {
    if (answer.seq < this.appliedSeq) return;
    this.remove(name);
    if (this.entries.size >= MAX_ENTRIES) this.remove(this.entries.keys().next().value as string);
    this.entries.set(name, { effective: answer.effective, keys: answer.keys });
    for (const key of answer.keys) this.namesOf(key).add(name);
  }

  apply(changes: GrantSyncResponse): void {
    if (changes.reset) this.clear();
    for (const key of changes.keys) for (const name of [...(this.byKey.get(key) ?? [])]) this.remove(name);
    this.appliedSeq = changes.seq;
  }

  clear(): void {
    this.entries.clear();
    this.byKey.clear();
  }

  private namesOf(key: InvalidationKey): Set<string> {
    const names = this.byKey.get(key) ?? new Set<string>();
    this.byKey.set(key, names);
    return names;
  }

  private remove(name: string): void {
    const entry = this.entries.get(name);
    if (entry === undefined) return;
    this.entries.delete(name);
    for (const key of entry.keys) {
      const names = this.byKey.get(key);
      names?.delete(name);
      if (names?.size === 0) this.byKey.delete(key);
    }
  }
}
