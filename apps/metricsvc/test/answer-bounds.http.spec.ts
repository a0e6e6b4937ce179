import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ANSWER_BYTES } from '@twinyard/conventions';
import { createService } from '@twinyard/service-kit';
import { type ApiDocument, type FakePassport, listOperations, type StartedService, startService } from '@twinyard/testing';
import { Client } from 'pg';
import request from 'supertest';
import { MOST_POINTS } from '../src/metrics/points.repository';
import { service } from '../src/service';

const NS = 'house_a1B2c3D4';
const METRIC = 'dtplatform.filesvc.FileCount';
const HOUR_MS = 3_600_000;
const FIRST = Date.parse('2000-01-01T00:00:00Z');
const hour = (n: number) => new Date(FIRST + n * HOUR_MS).toISOString();

describe('answers of metricsvc', () => {
  let started: StartedService;
  let passport: FakePassport;
  let app: NestFastifyApplication;
  let sql: Client;
  let reader: string;

  beforeAll(async () => {
    started = await startService((settings) => createService(service, { ...settings, RECONCILE_HOURS: 24 }));
    ({ app, passport } = started);
    reader = await passport.token('reader');
    await passport.grant('reader', NS, ['READ'], 'metricsvc:metric:*');
    sql = new Client({ connectionString: started.database.url });
    await sql.connect();
  });
  afterAll(async () => {
    await sql?.end();
    await started?.stop();
  });

  const get = (path: string, query: object) => request(app.getHttpServer()).get(`/metricsvc/api/v1/metrics/${path}`).query(query).set('authorization', `Bearer ${reader}`);
  /** The points of so many hours from the first on, with values as long as they can be. */
  const addPoints = (from: number, count: number) => sql.query(
    `INSERT INTO point (metric, namespace, outer_dimension, inner_dimension, hour, value)
     SELECT $1, $2, '', '', $3::timestamptz + n * interval '1 hour', ${Number.MAX_SAFE_INTEGER} FROM generate_series($4::int, $5::int) n`,
    [METRIC, NS, hour(0), from, from + count - 1],
  );

  it('are no lists but that of permissions, which passportsvc cuts', () => {
    const document = JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8')) as ApiDocument;
    expect(listOperations(document)).toEqual(['GET /metricsvc/api/v1/permissions']);
  });

  it('hold a point an hour of a series, as many as are light still; more are refused with what to ask for', async () => {
    await addPoints(0, MOST_POINTS);
    const whole = await get(METRIC, { namespace: NS }).expect(200);
    const { metrics } = whole.body as { readonly metrics: readonly unknown[] };
    expect([metrics.length, Buffer.byteLength(whole.text) < ANSWER_BYTES / 4]).toEqual([MOST_POINTS, true]);
    await expect(addPoints(MOST_POINTS - 1, 1)).rejects.toThrow(/duplicate key/);
    await addPoints(MOST_POINTS, 1);
    const { body } = await get(METRIC, { namespace: NS }).expect(400);
    expect(body).toMatchObject({ code: 'limit_exceeded', message: expect.stringContaining(`${METRIC}/by-dimension;namespace=${NS}?period.from=`) });
    const form = `${METRIC}/by-dimension;namespace=${NS}`;
    await get(form, { 'period.from': hour(0), 'period.to': hour(MOST_POINTS) }).expect(400);
    const last = await get(form, { 'period.from': hour(MOST_POINTS - 1), 'period.to': hour(MOST_POINTS) }).expect(200);
    expect((last.body as { readonly metrics: readonly { readonly timestamp: string }[] }).metrics.map(({ timestamp }) => timestamp)).toEqual([hour(MOST_POINTS - 1), hour(MOST_POINTS)]);
  });
});
