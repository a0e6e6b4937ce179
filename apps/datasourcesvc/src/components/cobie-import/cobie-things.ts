import type { NamedProperty } from '../../ifc/property-key';
import type { CobieFaults } from './cobie-faults';
import { type CobieSheet, SHEETS, type SheetName } from './cobie-sheets';
import type { CobieValue, SheetRow } from './sheet-rows';

/** A row of a sheet, or the rows that are one thing together. */
export interface Thing {
  readonly sheet: SheetName;
  readonly line: number;
  readonly name: string;
  readonly values: ReadonlyMap<string, CobieValue>;
  /** By columns that list others: the names of all rows. */
  readonly listed: Map<string, string[]>;
  readonly attributes: NamedProperty[];
}

/** Names as people write them: case and spaces around them say nothing. */
const folded = (name: string) => name.trim().toLowerCase();

/** The things of one sheet, in their order. */
export class SheetThings {
  readonly all: Thing[] = [];
  private readonly named = new Map<string, Thing>();
  private readonly groups = new Map<string, Thing>();
  private readonly sheet: CobieSheet;

  constructor(private readonly name: SheetName, private readonly faults: CobieFaults) {
    this.sheet = SHEETS[name];
  }

  take({ line, values }: SheetRow): void {
    const name = String(values.get(this.sheet.key) ?? '');
    if (name === '') return this.faults.add('nameless', this.name, line);
    const group = this.sheet.isGrouped ? this.groups.get(this.groupOf(name, values)) : undefined;
    const thing = group ?? this.add({ sheet: this.name, line, name, values, listed: new Map(), attributes: [] });
    for (const { column, isList } of this.sheet.references) {
      const text = values.get(column);
      if (!isList || text === undefined) continue;
      const listed = thing.listed.get(column);
      if (listed) listed.push(String(text));
      else thing.listed.set(column, [String(text)]);
    }
  }

  /** Of several that have it the first. */
  get(name: string): Thing | undefined {
    return this.named.get(folded(name));
  }

  private add(thing: Thing): Thing {
    const { name, line, values } = thing;
    this.all.push(thing);
    if (this.sheet.isGrouped) this.groups.set(this.groupOf(name, values), thing);
    if (!this.named.has(folded(name))) this.named.set(folded(name), thing);
    else if (!this.sheet.belongsToRow && !this.sheet.isGrouped) this.faults.add('repeated', this.name, line, { column: this.sheet.key, value: name });
    return thing;
  }

  private groupOf(name: string, values: ReadonlyMap<string, CobieValue>): string {
    return JSON.stringify([folded(name), folded(String(values.get('Category') ?? ''))]);
  }
}
