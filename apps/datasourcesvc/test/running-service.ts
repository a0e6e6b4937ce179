import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createService, defineService } from '@twinyard/service-kit';
import { createTestDatabase, eventually, FakePassport, type TestDatabase, testSettings } from '@twinyard/testing';
import { Client } from 'pg';
import request from 'supertest';
import { AppModule } from '../src/app.module';
import { builtInComponents } from '../src/components/built-in-components';
import type { Component } from '../src/components/component';
import type { DatasourcesvcSettings } from '../src/config';
import { service } from '../src/service';

export const NS = 'house_a1B2c3D4';
export const OTHER = 'other_a1B2c3D4';
export const ORCHESTRATORS = '/datasourcesvc/api/v1/orchestrators';
export const RUNS = '/datasourcesvc/api/v1/orchrun';
export const SCHEDULES = '/datasourcesvc/api/v1/orchschedules';

export type Settings = Partial<DatasourcesvcSettings>;

/** All other services, and the service itself, at one address. */
export const addressesAt = (url: string) => ({ ITEMSVC_URL: url, FILESVC_URL: url, DATASOURCESVC_URL: url, AISVC_URL: url, METRICSVC_URL: url, NOTIFICATIONSVC_URL: url });

export interface RunBody {
  readonly id: string;
  readonly _status: string;
  readonly _result?: unknown;
  readonly _progress?: unknown;
  readonly _usage?: { readonly _wallMs: number; readonly _cpuMs: number; readonly _requests: number; readonly _bytes: number };
  readonly orchrunsteps: readonly { readonly id: string; readonly _status: string; readonly _statusmsg: string; readonly _actualparams: string; readonly _attempts: number }[];
  readonly _orchschedule?: { readonly _id: string; readonly _due: string };
}

/** Where the job of a run is, in SQL. */
export const jobOf = (runId: string) => `kind = 'datasourcesvc.run' AND id LIKE '% ${runId}'`;

/** The same of a schedule. */
export const jobOfSchedule = (id: string) => `kind = 'datasourcesvc.schedule' AND id LIKE '% ${id}'`;

/** The service under test with its identity service and databases; more instances may share them. */
export class RunningService {
  readonly apps: NestFastifyApplication[] = [];

  private constructor(
    readonly passport: FakePassport,
    private readonly database: TestDatabase,
    private readonly events: TestDatabase,
  ) {}

  static async start(components: readonly Component[] = builtInComponents(), settings: Settings = {}): Promise<RunningService> {
    const [passport, database, events] = await Promise.all([FakePassport.start(), createTestDatabase(), createTestDatabase()]);
    const running = new RunningService(passport, database, events);
    await running.addInstance(components, settings);
    return running;
  }

  /** Of the event log. */
  get eventsDatabaseUrl(): string {
    return this.events.url;
  }

  get app(): NestFastifyApplication {
    return this.apps[0] as NestFastifyApplication;
  }

  async addInstance(components: readonly Component[], settings: Settings = {}): Promise<NestFastifyApplication> {
    const own = defineService<DatasourcesvcSettings>({ ...service, module: (all) => AppModule.register(all, components) });
    const app = await createService(own, {
      ...testSettings(this.passport, this.database, this.events),
      ...addressesAt('http://127.0.0.1:9'), SCRIPT_SECONDS: 600, GEOMETRY_MEMORY_MB: 1_536,
      RUN_CONCURRENCY: 2, RUN_PER_NAMESPACE: 16, INSTANT_RUN_SECONDS: 30, LOG_STREAMS: 100, RUN_LEASE_MS: 15_000,
      REST_CONNECTOR_HOSTS: '', REST_CONNECTOR_ALLOW_PRIVATE: false, REST_CONNECTOR_FILE_MB: 1_024,
      IFC_FILE_MB: 64, IFC_MEMORY_MB: 1_024, IFC_SECONDS: 120, ...settings,
    });
    await app.listen(0, '127.0.0.1');
    this.apps.push(app);
    return app;
  }

  async stop(): Promise<void> {
    await Promise.all(this.apps.map((app) => app.close()));
    await this.passport.stop();
    await Promise.all([this.database.drop(), this.events.drop()]);
  }

  call(token: string, method: 'get' | 'post' | 'put' | 'delete', path: string, ns = NS) {
    return request(this.app.getHttpServer())[method](path).query({ nsfilter: ns }).set('authorization', `Bearer ${token}`);
  }

  /** The id of a new orchestrator. */
  async orchestrator(token: string, tasks: readonly object[], changes: object = {}): Promise<string> {
    const body = { _name: 'Import', _namespaces: [NS], _params: { tasks }, ...changes };
    return ((await this.call(token, 'post', ORCHESTRATORS).send(body).expect(200)).body as { id: string }).id;
  }

  async startRun(token: string, orchestratorId: string, actualParams?: readonly object[]): Promise<RunBody> {
    const body = { orchestratorId, ...(actualParams && { _actualParams: actualParams }) };
    return (await this.call(token, 'post', RUNS).send(body).expect(200)).body as RunBody;
  }

  async run(token: string, id: string): Promise<RunBody> {
    return ((await this.call(token, 'get', `${RUNS}/${id}`).expect(200)).body as RunBody[])[0] as RunBody;
  }

  ended(token: string, id: string): Promise<RunBody> {
    return eventually(async () => {
      const run = await this.run(token, id);
      return ['COMPLETED', 'ERROR', 'CANCELLED'].includes(run._status) ? run : null;
    }).then((run) => run as RunBody);
  }

  async log(token: string, id: string): Promise<Record<string, unknown>[]> {
    const { body } = await this.call(token, 'get', `${RUNS}/logs/${id}`).expect(200);
    return (body as string).split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  async query<T>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    const client = new Client({ connectionString: this.database.url });
    await client.connect();
    try {
      return (await client.query(sql, parameters)).rows as T[];
    } finally {
      await client.end();
    }
  }

  /** As if the worker of a run had been silent for as long as its lease lasts, and another had come. */
  async silence(runId: string): Promise<void> {
    await this.query(
      `UPDATE job SET token = nextval('job_token'), leased_until = clock_timestamp() - interval '1 s' WHERE ${jobOf(runId)} AND state = 'RUNNING' RETURNING pg_notify('jobs', kind)`);
  }

  /** As if the time had come for a run whose step is tried again. */
  async hasten(runId: string): Promise<void> {
    await this.query('UPDATE orchestrator_run_step SET retry_at = clock_timestamp() WHERE run_id = $1 AND retry_at IS NOT NULL', [runId]);
    await this.query(`UPDATE job SET state = 'READY', due_at = clock_timestamp() WHERE ${jobOf(runId)} AND state = 'WAITING' RETURNING pg_notify('jobs', kind)`);
  }

  /** Has a schedule be due so many seconds ago, and its job look at once. */
  async bringDue(scheduleId: string, secondsAgo = 0): Promise<void> {
    await this.query(`UPDATE orchestrator_schedule SET next_due_at = date_trunc('milliseconds', clock_timestamp()) - $2 * interval '1 s' WHERE id = $1`, [scheduleId, secondsAgo]);
    await this.query(`UPDATE job SET due_at = clock_timestamp(), state = 'READY' WHERE ${jobOfSchedule(scheduleId)} AND state = 'WAITING' RETURNING pg_notify('jobs', kind)`);
  }

  /** While a transaction has rows in hand. */
  async whileHeld(sql: string, parameters: unknown[], work: () => Promise<void>): Promise<void> {
    const client = new Client({ connectionString: this.database.url });
    await client.connect();
    try {
      await client.query('BEGIN');
      await client.query(sql, parameters);
      await work();
    } finally {
      await client.end();
    }
  }

  /** How many events tell of a record. */
  async countEvents(id: string): Promise<number> {
    return Number((await this.query<{ last: string }>('SELECT last FROM event_sequences WHERE key = $1', [id]))[0]?.last ?? 0);
  }
}
