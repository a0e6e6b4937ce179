import { randomUUID } from 'node:crypto';
import { Client, Pool } from 'pg';

interface BareList {
  readonly total: number;
  readonly list: readonly unknown[];
}

/** The same work with the driver and nothing else: a table of documents on the same server. */
export class BareTable {
  private readonly pool: Pool;
  private readonly version = randomUUID();

  constructor(url: string, connections: number) {
    this.pool = new Pool({ connectionString: url, max: connections });
  }

  static async create(url: string, connections: number): Promise<BareTable> {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('create table if not exists bare_items (version_id text, id text, doc jsonb not null, primary key (version_id, id))');
    await client.end();
    return new BareTable(url, connections);
  }

  /** Resolves with the ids. */
  async insert(items: readonly object[]): Promise<string[]> {
    const rows = items.map((doc) => ({ id: randomUUID(), doc }));
    await this.pool.query(
      `insert into bare_items select $1, entry ->> 'id', entry -> 'doc' from jsonb_array_elements($2) entry`,
      [this.version, JSON.stringify(rows)],
    );
    return rows.map(({ id }) => id);
  }

  async get(id: string): Promise<unknown> {
    const { rows } = await this.pool.query<{ doc: unknown }>('select doc from bare_items where version_id = $1 and id = $2', [this.version, id]);
    if (rows[0] === undefined) throw new Error('the bare table lost a row');
    return rows[0].doc;
  }

  async list(ifcClass: string, pageSize: number): Promise<BareList> {
    const where = `from bare_items where version_id = $1 and doc #>> '{ifcClass}' = $2`;
    const [page, count] = await Promise.all([
      this.pool.query<{ doc: unknown }>(`select doc ${where} order by doc #> '{properties,Area,val}' desc, id limit $3`, [this.version, ifcClass, pageSize]),
      this.pool.query<{ total: number }>(`select count(*)::int as total ${where}`, [this.version, ifcClass]),
    ]);
    return { total: count.rows[0]?.total ?? 0, list: page.rows.map(({ doc }) => doc) };
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
