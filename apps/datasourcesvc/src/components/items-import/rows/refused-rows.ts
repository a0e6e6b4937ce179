/** Why rows are not written, each in the words of a sentence of the log: "3 rows are refused, since …". */
export const REFUSALS = {
  unreadable: 'they cannot be read',
  width: 'they have another number of cells than the header',
  key: 'they have no key that an item can be known by',
  characters: 'they hold a character that no text of the platform may hold',
  service: 'itemsvc does not take them',
} as const;
export type RefusalKind = keyof typeof REFUSALS;

export interface RefusedRow {
  readonly row: number;
  readonly column?: string;
  readonly reason: string;
}

/** The first of a kind, and how many. JSON. */
export interface Refused {
  readonly kind: RefusalKind;
  readonly count: number;
  readonly first: readonly RefusedRow[];
}

const MAX_NAMED = 10;
const MAX_REASON = 300;

/** Rows of a file that are left out, by kinds. */
export class RefusedRows {
  private readonly kinds: Map<RefusalKind, Refused>;

  constructor(refused: readonly Refused[] = []) {
    this.kinds = new Map(refused.map((one) => [one.kind, one]));
  }

  add(kind: RefusalKind, { reason, ...row }: RefusedRow): void {
    const { count, first } = this.kinds.get(kind) ?? { count: 0, first: [] };
    const more = count < MAX_NAMED ? [{ ...row, reason: reason.slice(0, MAX_REASON).toWellFormed() }] : [];
    this.kinds.set(kind, { kind, count: count + 1, first: [...first, ...more] });
  }

  get count(): number {
    return this.list.reduce((sum, { count }) => sum + count, 0);
  }

  get list(): readonly Refused[] {
    return [...this.kinds.values()];
  }

  /** A sentence for each kind. */
  remarks(place: 'line' | 'row'): string[] {
    return this.list.map(({ kind, count, first }) => {
      const named = first.map(({ row, column, reason }) => `${place} ${row}${column === undefined ? '' : ` in column ${JSON.stringify(column)}`}: ${reason}`).join('; ');
      const more = count > first.length ? `; and ${count - first.length} more` : '';
      return `${count} ${count === 1 ? 'row is' : 'rows are'} refused, since ${REFUSALS[kind]}: ${named}${more}`;
    });
  }
}
