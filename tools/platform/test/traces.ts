import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { Client } from 'pg';
import type { RunningPlatform } from './running-platform';

/** What tells that something was: events, the audit log, answers of the last 24 hours, and which names are not to come again. */
const MEMORY = /\.(event_|audit_|durable_requests$|namespace_purge$)/;

/** Of which the key of a blob ends, in whichever way the folder writes it. */
const UUID_LENGTH = 36;

export interface LockedTable {
  readonly service: string;
  readonly table: string;
  /** SHARE keeps writers out, ACCESS EXCLUSIVE readers too. */
  readonly mode: 'SHARE' | 'ACCESS EXCLUSIVE';
}

/** Keeps whoever needs a table waiting, from `take` to `release`. */
export interface TableLock {
  take(): Promise<void>;
  /** The server's processes that wait for it. */
  waiting(): Promise<number[]>;
  release(): Promise<void>;
}

/** What a platform keeps, looked at past every service. */
export class Traces {
  private constructor(private readonly platform: RunningPlatform, private readonly databases: ReadonlyMap<string, Client>) {}

  static async open(platform: RunningPlatform): Promise<Traces> {
    const databases = new Map<string, Client>();
    for (const service of SERVICES) {
      const client = new Client({ connectionString: platform.databaseUrl(service) });
      client.on('error', () => undefined);
      await client.connect();
      databases.set(service, client);
    }
    return new Traces(platform, databases);
  }

  async close(): Promise<void> {
    await Promise.all([...this.databases.values()].map((client) => client.end()));
  }

  async query<R>(service: string, sql: string, parameters: readonly unknown[] = []): Promise<R[]> {
    return ((await (this.databases.get(service) as Client).query(sql, [...parameters])).rows as R[]);
  }

  /** Connected already, so that `take` comes before what is sent after it. */
  async lock({ service, table, mode }: LockedTable): Promise<TableLock> {
    const client = await this.connect(service);
    let released: Promise<void> | undefined;
    const waiting = `SELECT DISTINCT pid FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND relation = $1::regclass`;
    return {
      take: async () => void (await client.query(`BEGIN; LOCK TABLE "${table}" IN ${mode} MODE`)),
      waiting: async () => (await this.query<{ pid: number }>(service, waiting, [table])).map(({ pid }) => pid),
      release: () => (released ??= client.end()),
    };
  }

  /** Keeps a row from being changed until the answer is called: whoever wants to waits. */
  async hold(service: string, row: string, parameters: readonly unknown[]): Promise<() => Promise<void>> {
    const client = await this.connect(service);
    await client.query('BEGIN');
    const { rowCount } = await client.query(`${row} FOR UPDATE`, [...parameters]);
    if (rowCount !== 1) throw new Error(`${rowCount} rows to hold in ${service}`);
    return () => client.end();
  }

  /** Tables in which one of these texts stands anywhere. */
  async mentioning(texts: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const [service, table] of await this.tables()) {
      if (texts.some((text) => table.includes(text)) || (await this.query(service, `SELECT FROM "${table}" t WHERE t::text ~ $1 LIMIT 1`, [texts.join('|')])).length > 0) found.push(`${service}.${table}`);
    }
    return found.filter((name) => !MEMORY.test(name));
  }

  /** A digest of every row, in any table, that names the text or belongs to an item that does. */
  async digestOf(text: string): Promise<Record<string, string>> {
    const items = (await this.query<{ id: string }>('itemsvc', 'SELECT id FROM doc_items WHERE strpos(doc::text, $1) > 0', [text])).map(({ id }) => id);
    const digests: Record<string, string> = {};
    for (const [service, table] of (await this.tables()).filter(([service, table]) => !MEMORY.test(`${service}.${table}`))) {
      const isOwn = items.some((id) => table.includes(id));
      const rows = await this.query<{ row: string }>(service, `SELECT md5(t::text) AS row FROM "${table}" t WHERE $1 OR t::text ~ $2 ORDER BY 1`, [isOwn, [text, ...items].join('|')]);
      if (rows.length > 0) digests[`${service}.${table}`] = `${rows.length} rows, ${createHash('sha256').update(rows.map(({ row }) => row).join()).digest('hex')}`;
    }
    return digests;
  }

  /** Versions of a namespace whose pictures are still to be drawn. */
  async undrawn(namespace: string): Promise<number> {
    const sql = "SELECT FROM job WHERE kind = 'filesvc.preview' AND state <> 'DEAD' AND namespace = $1";
    return (await this.query('filesvc', sql, [namespace])).length;
  }

  /** Blobs in the folder that neither a version nor a picture holds. */
  async strayBlobs(): Promise<string[]> {
    const held = new Set((await this.query<{ key: string }>('filesvc', 'SELECT blob_key AS key FROM file_version UNION SELECT blob_key FROM preview')).map(({ key }) => basename(key)));
    const folder = join(this.platform.dataDir, 'blobs');
    return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && !held.has(entry.name.slice(-UUID_LENGTH))).map(({ name }) => name);
  }

  private async connect(service: string): Promise<Client> {
    const client = new Client({ connectionString: this.platform.databaseUrl(service) });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  private async tables(): Promise<[service: string, table: string][]> {
    const sql = `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`;
    const lists = await Promise.all(SERVICES.map(async (service) => (await this.query<{ name: string }>(service, sql)).map(({ name }): [string, string] => [service, name])));
    return lists.flat();
  }
}
