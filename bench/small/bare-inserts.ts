import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';

/** The limit: one committed INSERT for each write with the driver alone, on the same server. */
export class BareInserts {
  private constructor(private readonly pool: Pool) {}

  static async create(url: string, connections: number): Promise<BareInserts> {
    const pool = new Pool({ connectionString: url, max: connections });
    pool.on('error', () => undefined); // an idle connection that ends with the platform
    await pool.query('create table if not exists bare_writes (id text primary key, doc jsonb not null)');
    return new BareInserts(pool);
  }

  async insert(document: object): Promise<void> {
    await this.pool.query({ name: 'bare', text: 'insert into bare_writes values ($1, $2)', values: [randomUUID(), JSON.stringify(document)] });
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}
