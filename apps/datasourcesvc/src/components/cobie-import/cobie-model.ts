import { setImmediate } from 'node:timers/promises';
import { invalid } from '@twinyard/conventions';
import type { IfcProperty, IfcScalarType } from '../../ifc/ifc-model';
import type { CobieFaults } from './cobie-faults';
import { SHEET_NAMES, SHEETS, type SheetName, type SheetReference } from './cobie-sheets';
import { SheetThings, type Thing } from './cobie-things';
import type { CobieValue, SheetRow } from './sheet-rows';

/** tools/deployment/resources.ts counts what they take: 60,000 things, and what rows name in all of them together. */
const MOST_THINGS = 60_000;
const MOST_LINKS = 2_000_000;
/** Of one name. */
const MOST_COMMAS = 4;
/** How many things are looked at before others have a turn. */
const SLICE = 2_000;

const isSheet = (name: string): name is SheetName => (SHEET_NAMES as readonly string[]).includes(name);

/** What a COBie workbook says: the things of its sheets, with their attributes, and which of them name each other. */
export class CobieModel {
  private readonly sheets = new Map<SheetName, SheetThings>();
  private readonly links = new Map<Thing, Map<string, readonly Thing[]>>();
  private linkCount = 0;
  /** By the sheet of whom it belongs to. */
  private readonly documents = new Map<SheetName, [of: Thing, document: Thing][]>();

  constructor(private readonly faults: CobieFaults) {
    for (const name of SHEET_NAMES) this.sheets.set(name, new SheetThings(name, faults));
  }

  things(sheet: SheetName): readonly Thing[] {
    return this.thingsOf(sheet).all;
  }

  /** @throws ServiceError `invalid` for more things than are held */
  take(sheet: SheetName, row: SheetRow): void {
    this.thingsOf(sheet).take(row);
    if (SHEET_NAMES.reduce((sum, name) => sum + this.things(name).length, 0) > MOST_THINGS) throw invalid(`The workbook has more than the ${MOST_THINGS} things that are imported at most, attributes aside`);
  }

  /** When all things are known. */
  takeAttribute({ line, values, sheet }: SheetRow): void {
    const [name, value] = [values.get('Name'), values.get('Value')];
    if (name === undefined) return this.faults.add('nameless', sheet, line);
    const owner = this.ownerOf(values);
    if (owner === undefined) return this.faults.add('ownerless', sheet, line, { column: 'RowName', value: String(values.get('RowName') ?? '') });
    owner.attributes.push({ name: String(name), property: toProperty(String(name), value, values) });
  }

  /** Finds what rows name. @throws ServiceError `invalid` for more names than are held */
  async resolve(): Promise<void> {
    let looked = 0;
    for (const sheet of SHEET_NAMES) {
      for (const thing of this.things(sheet)) {
        looked += 1;
        if (looked % SLICE === 0) await setImmediate();
        this.resolveThing(thing);
      }
    }
  }

  linked(thing: Thing, column: string): readonly Thing[] {
    return this.links.get(thing)?.get(column) ?? [];
  }

  documentsOf(sheet: SheetName): readonly (readonly [of: Thing, document: Thing])[] {
    return this.documents.get(sheet) ?? [];
  }

  private thingsOf(sheet: SheetName): SheetThings {
    return this.sheets.get(sheet) as SheetThings;
  }

  private resolveThing(thing: Thing): void {
    const { references, belongsToRow } = SHEETS[thing.sheet];
    const links = new Map(references.map((reference) => [reference.column, this.targetsOf(thing, reference)] as const).filter(([, targets]) => targets.length > 0));
    if (links.size > 0) this.links.set(thing, links);
    if (!belongsToRow || !thing.values.has('RowName')) return;
    const owner = this.ownerOf(thing.values);
    if (owner === undefined) this.faults.add('unknown', thing.sheet, thing.line, { column: 'RowName', value: String(thing.values.get('RowName')) });
    else addTo(this.documents, owner.sheet, [owner, thing]);
  }

  private targetsOf(thing: Thing, { column, to, isList }: SheetReference): readonly Thing[] {
    const targets = new Set<Thing>();
    const texts = isList ? (thing.listed.get(column) ?? []) : [thing.values.get(column) ?? ''].map(String);
    for (const name of texts.flatMap((text) => this.namesIn(text, to, isList))) {
      const target = this.thingsOf(to).get(name);
      if (target === undefined) this.faults.add('unknown', thing.sheet, thing.line, { column, value: name });
      else targets.add(target);
    }
    this.linkCount += targets.size;
    if (this.linkCount > MOST_LINKS) throw invalid(`The workbook has more than the ${MOST_LINKS} names of other rows that are imported at most`);
    return [...targets];
  }

  private namesIn(text: string, to: SheetName, isList = false): readonly string[] {
    if (!isList) return text === '' ? [] : [text];
    const parts = text.split(',');
    const names: string[] = [];
    for (let at = 0; at < parts.length; ) {
      const count = this.partsOfName(parts, at, to);
      names.push(parts.slice(at, at + count).join(',').trim());
      at += count;
    }
    return names.filter((name) => name !== '');
  }

  /** A name may have commas itself: as many parts as make one that there is. */
  private partsOfName(parts: readonly string[], at: number, to: SheetName): number {
    const isName = (count: number) => this.thingsOf(to).get(parts.slice(at, at + count).join(',')) !== undefined;
    for (let count = Math.min(MOST_COMMAS + 1, parts.length - at); count > 1; count -= 1) if (isName(count)) return count;
    return 1;
  }

  private ownerOf(values: ReadonlyMap<string, CobieValue>): Thing | undefined {
    const sheet = String(values.get('SheetName') ?? '');
    return isSheet(sheet) ? this.thingsOf(sheet).get(String(values.get('RowName') ?? '')) : undefined;
  }
}

function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

/** As properties of IFC models are. */
function toProperty(dName: string, value: CobieValue | undefined, values: ReadonlyMap<string, CobieValue>): IfcProperty {
  const unit = values.get('Unit');
  return { val: value ?? null, dName, psDispName: String(values.get('Category') ?? 'Attribute'), ...(unit !== undefined && { uom: String(unit) }), type: typeOf(value) };
}

function typeOf(value: CobieValue | undefined): IfcScalarType {
  if (value === undefined) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'boolean' ? 'boolean' : 'string';
}
