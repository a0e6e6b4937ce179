import { FirstOf } from '../remarks/first-of';

/** What may be wrong with a workbook that can be read. */
const WORDS = {
  nameless: 'Rows left out, since they have no name',
  repeated: 'Rows with a name that an earlier row has, which names mean',
  unknown: 'Names of rows that the workbook does not have',
  ownerless: 'Attributes left out, since the workbook does not have their row',
  valueless: 'Cells left out, since they hold an error, or a formula for which there is no value',
} as const;

export type CobieFault = keyof typeof WORDS;

/** Of these something was left out. */
const LEFT_OUT: readonly CobieFault[] = ['nameless', 'ownerless', 'valueless'];
const MOST_CHARACTERS = 60;

/** Each kind with its first places, and how many there are. */
export class CobieFaults {
  private readonly found = new Map<CobieFault, FirstOf<string>>();

  add(kind: CobieFault, sheet: string, line: number, what?: { readonly column: string; readonly value?: string }): void {
    const found = this.found.get(kind) ?? new FirstOf<string>();
    this.found.set(kind, found);
    const value = what?.value === undefined ? '' : ` ${JSON.stringify(what.value.slice(0, MOST_CHARACTERS))}`;
    found.add(`${sheet} row ${line}${what ? ` (${what.column}${value})` : ''}`);
  }

  get skipped(): number {
    return LEFT_OUT.reduce((sum, kind) => sum + (this.found.get(kind)?.count ?? 0), 0);
  }

  /** A sentence for each kind that there is. */
  sentences(): readonly string[] {
    return [...this.found].map(([kind, { count, first, isMore }]) => `${WORDS[kind]} (${count}): ${first.join(', ')}${isMore ? '…' : ''}`);
  }
}
