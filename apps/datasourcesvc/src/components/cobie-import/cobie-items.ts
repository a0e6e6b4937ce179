import { createHash } from 'node:crypto';
import { toKey, toProperties } from '../../ifc/property-key';
import type { CollectionRelation, ModelCollection } from '../model-import/model-writer';
import type { SourceFile } from '../source-file';
import type { CobieModel } from './cobie-model';
import { IDENTIFIERS, RELATIONS, SHEET_NAMES, type SheetName, type SheetRelation, SHEETS } from './cobie-sheets';
import type { Thing } from './cobie-things';

type IdOf = (thing: Thing) => string;

/** Always the same for a row of a file version. */
export const cobieIds = ({ fileVersionId }: SourceFile): IdOf => ({ sheet, line }) =>
  createHash('sha256').update(`${fileVersionId} ${sheet} ${line}`).digest('hex').slice(0, 24);

export const cobieCollections = (model: CobieModel, name: string, idOf: IdOf): readonly ModelCollection[] =>
  SHEET_NAMES.map((sheet) => ({
    userType: SHEETS[sheet].userType,
    title: `${name}: ${sheet}`,
    count: model.things(sheet).length,
    *items() {
      for (const thing of model.things(sheet)) yield itemOf(thing, idOf);
    },
  }));

export function cobieRelations(model: CobieModel, idOf: IdOf): readonly CollectionRelation[] {
  const ofSheets = RELATIONS.map((relation) => relationOf(relation.from, relation.to, pairsOf(model, relation), idOf));
  const ofDocuments = SHEET_NAMES.filter((sheet) => model.documentsOf(sheet).length > 0).map((sheet) => relationOf(sheet, 'Document', () => model.documentsOf(sheet), idOf));
  return [...ofSheets, ...ofDocuments];
}

type Pairs = () => Iterable<readonly [from: Thing, to: Thing]>;

const relationOf = (from: SheetName, to: SheetName, pairs: Pairs, idOf: IdOf): CollectionRelation => ({
  from: SHEETS[from].userType,
  to: SHEETS[to].userType,
  count: countOf(pairs()),
  *pairs() {
    for (const [one, other] of pairs()) yield [idOf(one), idOf(other)];
  },
});

function countOf(all: Iterable<unknown>): number {
  let count = 0;
  for (const _one of all) count += 1;
  return count;
}

function pairsOf(model: CobieModel, { from, to, by, of }: SheetRelation): Pairs {
  /** Two things are related or not, however many columns say so. */
  const namedBy = (thing: Thing) => new Set(by.flatMap((column) => model.linked(thing, column)));
  return function* pairs() {
    if (by.length === 0) {
      const [only, ...others] = model.things(from);
      if (only !== undefined && others.length === 0) for (const other of model.things(to)) yield [only, other];
    } else if (of === 'from') {
      for (const one of model.things(from)) for (const other of namedBy(one)) yield [one, other];
    } else {
      for (const other of model.things(to)) for (const one of namedBy(other)) yield [one, other];
    }
  };
}

function itemOf(thing: Thing, idOf: IdOf): { readonly _id: string } & Readonly<Record<string, unknown>> {
  const { isGrouped } = SHEETS[thing.sheet];
  const identifier = IDENTIFIERS.map((column) => thing.values.get(column)).find((value) => value !== undefined);
  const fields: Record<string, unknown> = {};
  for (const [column, value] of thing.values) if (column !== 'Name') fields[freeName(fields, column)] = isGrouped ? (thing.listed.get(column) ?? value) : value;
  return {
    ...fields, _id: idOf(thing), row: thing.line, name: thing.name, ...(identifier !== undefined && { source_id: String(identifier) }),
    ...(thing.attributes.length > 0 && { properties: toProperties(thing.attributes) }),
  };
}

const OWN = new Set(['row', 'name', 'source_id', 'properties']);

/** `FloorName` is `floorName`; nothing begins with what the platform's own properties begin with. */
function freeName(taken: Readonly<Record<string, unknown>>, column: string): string {
  const plain = toKey(column.replace(/^_+/, ''));
  const name = plain.charAt(0).toLowerCase() + plain.slice(1);
  let free = name;
  for (let count = 2; OWN.has(free) || Object.hasOwn(taken, free); count += 1) free = `${name} (${count})`;
  return free;
}
