import type { FaultKind } from '../faults';

/** What is to be replaced in an entity, and what is to be said of it, until it is known to be whole. */
export class EntityMends {
  readonly replacements: { readonly start: number; readonly end: number; readonly text: string }[] = [];
  readonly faults: FaultKind[] = [];

  replace(start: number, end: number, text: string): void {
    this.replacements.push({ start, end, text });
  }

  note(kind: FaultKind): void {
    this.faults.push(kind);
  }

  clear(): void {
    if (this.replacements.length > 0) this.replacements.length = 0;
    if (this.faults.length > 0) this.faults.length = 0;
  }
}
