import { MAX_PLACES } from './faults';

/** Entities of one name. */
export interface NameUse {
  readonly name: string;
  readonly count: number;
  /** Where the first ten of them begin. */
  readonly starts: readonly number[];
}

interface CountedName extends NameUse {
  count: number;
  readonly starts: number[];
}

/** Counts the names of entities; a name is read as a text once, and known again by its bytes. */
export class EntityNames {
  private readonly byHash = new Map<number, CountedName[]>();

  /** The name that stands from `start` up to `end`, of the entity that begins at `entity`. */
  add(file: Buffer, [start, end]: readonly [number, number], entity: number): void {
    const hash = hashOf(file, start, end);
    const alike = this.byHash.get(hash) ?? [];
    if (alike.length === 0) this.byHash.set(hash, alike);
    const known = alike.find(({ name }) => isName(name, file, start, end)) ?? this.added(alike, file.toString('latin1', start, end).toUpperCase());
    known.count += 1;
    if (known.starts.length < MAX_PLACES) known.starts.push(entity);
  }

  all(): NameUse[] {
    return [...this.byHash.values()].flat();
  }

  private added(alike: CountedName[], name: string): CountedName {
    const counted = { name, count: 0, starts: [] };
    alike.push(counted);
    return counted;
  }
}

const UPPER_CASE = 0xdf;

function hashOf(file: Buffer, start: number, end: number): number {
  let hash = end - start;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + ((file[at] as number) & UPPER_CASE)) | 0;
  return hash;
}

function isName(name: string, file: Buffer, start: number, end: number): boolean {
  if (name.length !== end - start) return false;
  for (let at = start; at < end; at++) if (((file[at] as number) & UPPER_CASE) !== (name.charCodeAt(at - start) & UPPER_CASE)) return false;
  return true;
}
