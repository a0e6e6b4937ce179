import type { BareTable } from './bare-table';
import type { Collection, ItemClient } from './item-client';
import { sampleItem } from './sample-item';

/** Shares of the items that the three collections have: elements, rooms and systems. */
const SHARES = [0.5, 0.3, 0.2] as const;
const NAMES = ['elements', 'rooms', 'systems'] as const;
/** Relations that each element has to rooms, and to systems. */
const RELATIONS_EACH = 2;
const BATCH = 5_000;

export interface StoredCollection extends Collection {
  readonly size: number;
}

/** Three collections in the service's own tables, and the same documents and relations in the bare ones. */
export interface DataSet {
  readonly elements: StoredCollection;
  readonly rooms: StoredCollection;
  readonly systems: StoredCollection;
  readonly relations: number;
}

/** An `_id` that follows from the index, so that nobody has to remember 200,000 of them. */
export const idAt = (index: number) => index.toString(16).padStart(24, '0');

/** The set-up of what is read: by the driver, since what it costs is measured elsewhere. */
export async function storeDataSet(client: ItemClient, bare: BareTable, items: number): Promise<DataSet> {
  const collections: StoredCollection[] = [];
  for (const [position, name] of NAMES.entries()) {
    const collection = { ...(await client.createCollection(name)), size: Math.round(items * (SHARES[position] ?? 0)) };
    await client.createIndex(collection, 'room');
    await storeItems(bare, collection, 0, collection.size);
    collections.push(collection);
  }
  const [elements, rooms, systems] = collections as [StoredCollection, StoredCollection, StoredCollection];
  for (const other of [rooms, systems]) await storeRelations(bare, elements, other);
  await bare.pool.query('vacuum analyze doc_relations');
  await bare.pool.query('vacuum analyze bare_relations');
  return { elements, rooms, systems, relations: 2 * RELATIONS_EACH * elements.size };
}

/** The items `from` to `to`, with what the service would have written beside them. */
export async function storeItems(bare: BareTable, { id, versionId }: Collection, from: number, to: number): Promise<void> {
  const at = Date.now();
  const metadata = { _createdAt: at, _updatedAt: at, _createdById: 'bench', _updatedById: 'bench' };
  for (let begin = from; begin < to; begin += BATCH) {
    const documents = Array.from({ length: Math.min(BATCH, to - begin) }, (_, offset) => ({ ...sampleItem(begin + offset), _id: idAt(begin + offset), _metadata: metadata }));
    const texts = documents.map((document) => JSON.stringify(document));
    const parameters = [versionId, `[${texts.join(',')}]`];
    const sizes = texts.map((text) => Buffer.byteLength(text));
    await bare.pool.query(`insert into "doc_c${id}" (part, id, bytes, doc)
      select $1, d ->> '_id', ($3::int[])[n], d from jsonb_array_elements($2::jsonb) with ordinality as input(d, n)`, [...parameters, sizes]);
    await bare.pool.query(`insert into bare_items select $1, d ->> '_id', d from jsonb_array_elements($2::jsonb) d`, parameters);
    await bare.pool.query(`update doc_counters set doc = doc || jsonb_build_object('relatedItemsCount', (doc -> 'relatedItemsCount')::int + $2::int,
      'relatedItemsBytes', (doc -> 'relatedItemsBytes')::bigint + $3::bigint) where id = $1`, [versionId, texts.length, sizes.reduce((sum, size) => sum + size, 0)]);
  }
  for (const table of [`"doc_c${id}"`, 'bare_items']) await bare.pool.query(`vacuum analyze ${table}`);
}

async function storeRelations(bare: BareTable, from: StoredCollection, to: StoredCollection): Promise<void> {
  const pairs = `(select lpad(to_hex(n), 24, '0') as f, lpad(to_hex((n * 7919 + k * 104729) % $5::bigint), 24, '0') as t from generate_series(0, $6::bigint - 1) n, generate_series(1, ${RELATIONS_EACH}) k)`;
  const parameters = [from.id, from.versionId, to.id, to.versionId, to.size, from.size];
  await bare.pool.query(`insert into doc_relations (part, id, bytes, doc)
    select '', left(encode(sha256(convert_to($2 || ':' || f || ' ' || $4 || ':' || t, 'UTF8')), 'hex'), 24), 300,
      jsonb_build_object('_id', left(encode(sha256(convert_to($2 || ':' || f || ' ' || $4 || ':' || t, 'UTF8')), 'hex'), 24), 'from', $2 || ':' || f, 'to', $4 || ':' || t,
        'fromItem', $1::text, 'fromVersion', $2::text, 'fromId', f, 'toItem', $3::text, 'toVersion', $4::text, 'toId', t)
    from ${pairs} p`, parameters);
  await bare.pool.query(`insert into bare_relations select $1::text, f, $2::text, t from ${pairs.replace('$5', '$3').replace('$6', '$4')} p`, [from.versionId, to.versionId, to.size, from.size]);
}
