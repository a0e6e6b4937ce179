import type { FaultKind, FaultPlace } from '@twinyard/step';

/** Those of the text; `unknown`: a name that the schema does not have; `lost`: the parser did not give the entity back. */
export type IfcFaultKind = FaultKind | 'unknown' | 'lost';

export interface IfcFault {
  readonly kind: IfcFaultKind;
  readonly count: number;
  /** The first ten. */
  readonly places: readonly FaultPlace[];
}

/** What an IFC file has beside the model that was read from it. */
export interface IfcReport {
  /** Entities of the file, each `#n=`. */
  readonly entities: number;
  /** How many of them were left out. */
  readonly skipped: number;
  readonly faults: readonly IfcFault[];
}

const LEFT_OUT: ReadonlySet<IfcFaultKind> = new Set(['unreadable', 'twice', 'unknown', 'lost']);

const WORDS: Readonly<Record<IfcFaultKind, string>> = {
  unreadable: 'left out, since they cannot be read',
  twice: 'left out, since an earlier one has the same number',
  unknown: 'left out, since the schema does not have the name',
  lost: 'left out, since the parser gave nothing back for it',
  value: 'without a value, since none of ISO 10303-21 is written there',
  mended: 'read although not written as ISO 10303-21 has it',
  integer: 'above 2^53 and kept as a text',
  dangling: 'referring to an entity that the file does not have',
  encoding: 'not UTF-8 and read as Windows-1252',
};

export const skippedOf = (faults: readonly IfcFault[]) => faults.filter(({ kind }) => LEFT_OUT.has(kind)).reduce((sum, { count }) => sum + count, 0);

/** `left out, since the schema does not have the name (2): #12=IFCFOO in line 20, #13=IFCFOO in line 21`. */
export function wordsOf({ kind, count, places }: IfcFault): string {
  const more = count > places.length ? `; and ${count - places.length} more` : '';
  return `${WORDS[kind]} (${count}): ${places.map(({ entity, line }) => `${entity} in line ${line}`).join(', ')}${more}`;
}
