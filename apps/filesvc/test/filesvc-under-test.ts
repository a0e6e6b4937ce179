import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ObjectStore } from '@twinyard/blobs';
import { createService } from '@twinyard/service-kit';
import { createTestDatabase, eventually, FakePassport, type TestDatabase, testSettings } from '@twinyard/testing';
import { Client } from 'pg';
import request, { type Test } from 'supertest';
import type { FilesvcSettings } from '../src/config';
import { service } from '../src/service';
import { BlobSweeper } from '../src/uploads/blob-sweeper';

export const NS = 'house_a1B2c3D4';
export const OTHER = 'other_a1B2c3D4';
export const FILES = '/filesvc/api/v1/files';

type Query = Record<string, unknown>;
type Method = 'get' | 'post' | 'put' | 'delete' | 'head';

export interface FileBody {
  readonly _id: string;
  readonly _name: string;
  readonly _tipId: string;
  readonly _url: string;
  readonly _fileVersion: { readonly _id: string };
  readonly [field: string]: unknown;
}

type StoreSettings = Pick<FilesvcSettings, 'S3_ENDPOINT' | 'S3_BUCKET' | 'S3_REGION' | 'S3_ACCESS_KEY' | 'S3_SECRET_KEY' | 'S3_PATH_STYLE'>;
const FOLDER: StoreSettings = { S3_REGION: 'us-east-1', S3_PATH_STYLE: 'true' };
const SECOND = { S3_SECONDARY_REGION: 'us-east-1', S3_SECONDARY_PATH_STYLE: 'true' } as const;
const OF_PROGRAMS = /^(BASE_URL|.*DATABASE_URL|PASSPORT_URL|SERVICE_TOKEN|DATA_DIR|BLOBS?_.*|S3_.*|UPLOAD_EXPIRY_SECONDS)$/;

/** What the processes of one service share. */
interface Surroundings {
  readonly passport: FakePassport;
  readonly folder: string;
  readonly databases: readonly TestDatabase[];
  readonly sql: Client;
  readonly settings: FilesvcSettings;
  readonly tokens: Map<string, string>;
}

/** The whole service on a database and a folder of its own; `owner` holds all in NS, `stranger` all in OTHER, `nobody` nothing. */
export class FilesvcUnderTest {
  /** Asked at each start; specs that are run on an S3 set it, each start gets a bucket of its own. */
  static store: () => StoreSettings = () => FOLDER;

  private readonly replicas: FilesvcUnderTest[] = [];
  private hasLeft = false;

  private constructor(
    readonly app: NestFastifyApplication,
    private readonly around: Surroundings,
  ) {}

  /** Of the event log. */
  get eventsDatabaseUrl(): string {
    return this.around.settings.EVENTS_DATABASE_URL as string;
  }

  get passport(): FakePassport {
    return this.around.passport;
  }

  get folder(): string {
    return this.around.folder;
  }

  static async start(settings: Partial<FilesvcSettings> = {}): Promise<FilesvcUnderTest> {
    const passport = await FakePassport.start();
    const databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
    const folder = await mkdtemp(join(tmpdir(), 'twinyard-filesvc-'));
    const [own, events] = databases as [TestDatabase, TestDatabase];
    const complete: FilesvcSettings = {
      ...testSettings(passport, own, events), UPLOAD_PLACES: 4, DATA_DIR: folder, MAX_FILE_SIZE: 64 * 1024 ** 2, URL_TTL_SECONDS: 3_600, UPLOAD_EXPIRY_SECONDS: 86_400, BLOB_RETENTION_SECONDS: 0,
      NAMESPACE_QUOTAS: new Map(), SCAN_TIMEOUT_SECONDS: 60, SCAN_TOO_LARGE: 'refuse', LINE_SILENCE_SECONDS: 30, LINE_MIN_BYTES_PER_SECOND: 100,
      PREVIEW_PROCESSES: 0, PREVIEW_TIMEOUT_SECONDS: 60, PREVIEW_MEMORY_MB: 768, PREVIEW_MAX_INPUT_BYTES: 32 * 1024 ** 2,
      GRAPHICS_EXTENSIONS: 'glb scz', ...FilesvcUnderTest.store(), ...SECOND, ...settings,
    };
    const app = await listening(complete);
    const sql = new Client({ connectionString: own.url });
    await sql.connect();
    const made = new FilesvcUnderTest(app, { passport, folder, databases, sql, settings: complete, tokens: new Map() });
    await passport.grant('owner', NS, ['*']);
    await passport.grant('stranger', OTHER, ['*']);
    await made.signIn('owner', 'stranger', 'nobody');
    return made;
  }

  /** Another process of the service, on the same databases and store; it stops with this one. */
  async replica(settings: Partial<FilesvcSettings> = {}): Promise<FilesvcUnderTest> {
    const app = await listening({ ...this.around.settings, ...settings });
    const made = new FilesvcUnderTest(app, this.around);
    this.replicas.push(made);
    return made;
  }

  settingsWith(settings: Partial<FilesvcSettings>): FilesvcSettings {
    return { ...this.around.settings, ...settings };
  }

  /** For a program of the service, on the same databases. */
  environment(settings: Partial<FilesvcSettings>): Record<string, string> {
    const given = Object.entries(this.settingsWith(settings)).filter(([name, value]) => OF_PROGRAMS.test(name) && value !== undefined);
    return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  }

  /** This process alone. */
  async leave(): Promise<void> {
    if (!this.hasLeft) await this.app.close();
    this.hasLeft = true;
  }

  async stop(): Promise<void> {
    await this.around.sql.end();
    for (const replica of this.replicas) await replica.leave();
    await this.leave();
    await this.passport.stop();
    await Promise.all(this.around.databases.map((database) => database.drop()));
    await rm(this.folder, { recursive: true, force: true });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.app.getHttpServer().address() as AddressInfo).port}`;
  }

  async signIn(...subjects: string[]): Promise<void> {
    for (const subject of subjects) this.around.tokens.set(subject, await this.passport.token(subject));
  }

  tokenOf(subject: string): string {
    const token = this.around.tokens.get(subject);
    if (token === undefined) throw new Error(`${subject} has not signed in`);
    return token;
  }

  /** A request by somebody who has been given a token by `signIn`; `nsfilter` is NS unless the query says otherwise. */
  as(subject: string, method: Method, path: string, query: Query = {}): Test {
    return this.send(method, path, { nsfilter: NS, ...query }).set('authorization', `Bearer ${this.tokenOf(subject)}`);
  }

  async makeFolder(name: string, query: Query = {}): Promise<FileBody> {
    return (await this.as('owner', 'post', FILES, { _name: name, _namespaces: NS, ...query }).expect(200)).body as FileBody;
  }

  async upload(name: string, content: Buffer | string, query: Query = {}, subject = 'owner'): Promise<FileBody> {
    const sent = this.as(subject, 'post', FILES, { _namespaces: NS, ...query }).attach('file', Buffer.from(content), name);
    return ((await sent.expect(201)).body as FileBody[])[0] as FileBody;
  }

  async list(query: Query = {}, subject = 'owner'): Promise<{ _total: number; _list: FileBody[] }> {
    return (await this.as(subject, 'get', FILES, query).expect(200)).body as { _total: number; _list: FileBody[] };
  }

  /** Where a file's content is, as this process reaches the service: another host than `BASE_URL`'s. */
  async address(file: FileBody): Promise<string> {
    const { body } = await this.as('owner', 'get', `${FILES}/${file._id}/url`).expect(200);
    return (body as FileBody)._url.slice('http://twinyard.test'.length);
  }

  send(method: Method, path: string, query: Query = {}): Test {
    return request(this.url)[method](path).query(query);
  }

  query<R>(sql: string, parameters: unknown[] = []): Promise<R[]> {
    return this.around.sql.query(sql, parameters).then(({ rows }) => rows as R[]);
  }

  objects(): ObjectStore {
    return this.app.get(ObjectStore);
  }

  /** Keys of the blobs in the store. */
  async blobs(): Promise<string[]> {
    const keys: string[] = [];
    for await (const { key } of this.app.get(ObjectStore).list()) keys.push(key);
    return keys;
  }

  sweep(at = new Date()): Promise<number> {
    return this.app.get(BlobSweeper).sweep(at.getTime());
  }

  /** The next blob comes into the store when the sweep has been there for its note, as after two days. */
  sweepWhileStoring(by: 'put' | 'putBytes'): void {
    const store = this.objects();
    const afterSweep = <A extends unknown[], R>(store: (...given: A) => Promise<R>) => async (...given: A): Promise<R> => {
      await this.sweep(new Date(Date.now() + 2 * 86_400_000));
      return store(...given);
    };
    if (by === 'put') jest.spyOn(store, by).mockImplementationOnce(afterSweep(store.put.bind(store)));
    else jest.spyOn(store, by).mockImplementationOnce(afterSweep(store.putBytes.bind(store)));
  }
}

async function listening(settings: FilesvcSettings): Promise<NestFastifyApplication> {
  const app = await createService(service, settings);
  await app.listen(0, '127.0.0.1');
  // An S3 that stood still for longer than readiness waits has no bucket yet: whoever serves asks again, and nobody does here.
  await eventually(() => app.get(ObjectStore).check().catch(({ cause }: Error) => {
    if (cause instanceof Error && cause.message.includes('silent')) throw cause;
  }));
  return app;
}
