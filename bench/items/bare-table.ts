import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';

const TABLES = [
  'create table if not exists bare_items (version_id text, id text, doc jsonb not null, primary key (version_id, id))',
  `create index if not exists bare_items_room on bare_items (version_id, (doc #>> '{room}'))`,
  'create table if not exists bare_relations (from_version text, from_id text, to_version text, to_id text, primary key (from_version, from_id, to_version, to_id))',
];

export interface BareList {
  readonly total: number;
  readonly list: readonly unknown[];
}

/** The same work with the driver and nothing else: tables of documents and relations on the same server. */
export class BareTable {
  readonly pool: Pool;

  private constructor(url: string, connections: number) {
    this.pool = new Pool({ connectionString: url, max: connections });
  }

  static async create(url: string, connections: number): Promise<BareTable> {
    const table = new BareTable(url, connections);
    for (const statement of TABLES) await table.pool.query(statement);
    return table;
  }

  /** One statement with one parameter: the fastest of those tried (docs/performance/items.md). */
  async insert(version: string, items: readonly object[]): Promise<void> {
    const rows = items.map((doc) => ({ id: randomUUID(), doc }));
    await this.pool.query(
      `insert into bare_items select $1, entry ->> 'id', entry -> 'doc' from jsonb_array_elements($2) entry`,
      [version, JSON.stringify(rows)],
    );
  }

  async get(version: string, id: string): Promise<unknown> {
    const { rows } = await this.pool.query<{ doc: unknown }>('select doc from bare_items where version_id = $1 and id = $2', [version, id]);
    if (rows[0] === undefined) throw new Error('the bare table lost a row');
    return rows[0].doc;
  }

  async list(version: string, room: string, pageSize: number): Promise<BareList> {
    const where = `from bare_items where version_id = $1 and doc #>> '{room}' = $2`;
    const [page, count] = await Promise.all([
      this.pool.query<{ doc: unknown }>(`select doc ${where} order by doc #> '{properties,Area,val}' desc, id limit $3`, [version, room, pageSize]),
      this.pool.query<{ total: number }>(`select count(*)::int as total ${where}`, [version, room]),
    ]);
    return { total: count.rows[0]?.total ?? 0, list: page.rows.map(({ doc }) => doc) };
  }

  /** Parents in the order of their ids, and what is related to them in each of the other versions: one query a level, as one would write it. */
  async findWithRelated(version: string, others: readonly string[], pageSize: number): Promise<unknown[]> {
    const parents = await this.pool.query<{ id: string; doc: unknown }>('select id, doc from bare_items where version_id = $1 order by id limit $2', [version, pageSize]);
    const ids = parents.rows.map(({ id }) => id);
    const aliases = await Promise.all(others.map((other) => this.pool.query(
      `select r.from_id, i.id, i.doc from bare_relations r join bare_items i on i.version_id = r.to_version and i.id = r.to_id
       where r.from_version = $1 and r.from_id = any($2) and r.to_version = $3`, [version, ids, other])));
    return [parents.rows, ...aliases.map(({ rows }) => rows)];
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
