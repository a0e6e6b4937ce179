import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import { Client } from 'pg';
import { Api, type Fields, type Page, patientFetch } from '../../tour/api';
import { signIn } from '../../tour/sign-in';
import { runTour, type TourReport } from '../../tour/tour';
import { HAS_PROC, ROOT, type RunningPlatform, sumOf } from './running-platform';

/**
 * Hardly a request through the gateway goes over the connection of another one, hence each to the next replica: nothing may live in one
 * process alone. Nobody takes a delivery or a run over that a machine has kept waiting which stood still for some seconds: it would be told
 * as tried twice.
 */
export const SCALED = { REPLICAS: '2', UPSTREAM_CONNECTION_MS: '1', DELIVERY_LEASE_MS: '15000', RUN_LEASE_MS: '60000' };

const ITEMS = '/itemsvc/api/v1/nameduseritems';

/** What holds of two processes of each service, whatever keeps their data. */
export function describeScaledPlatform(stores: string, start: () => Promise<RunningPlatform>): void {
  (HAS_PROC ? describe : describe.skip)(`two of each service on ${stores}`, () => {
    let platform: RunningPlatform;
    let report: TourReport;

    beforeAll(async () => {
      platform = await start();
      report = await tour();
    }, 600_000);
    afterAll(() => platform?.remove());

    const tour = (print: (line: string) => void = () => undefined) => runTour({
      baseUrl: platform.baseUrl, ...platform.admin, mailDir: platform.mailDir, print,
      model: join(ROOT, 'tools/sample/sample-building.ifc'), readings: join(ROOT, 'tools/sample/sample-readings.csv'),
    });

    it('do the main job, and both of each have answered requests', async () => {
      expect(report.metrics).toMatchObject({ FileCount: 2, NamedUserCollectionCount: 5 });
      for (const service of SERVICES) {
        const answered = await Promise.all([0, 1].map(async (replica) => answeredOf(await platform.metricsOf(service, replica), service)));
        expect([service, answered.map((count) => count > 0)]).toEqual([service, [true, true]]);
      }
    });

    it('sign people in with its steps at either replica, and wrong passwords counted at both together', async () => {
      const redirectUri = `${platform.baseUrl}/console/callback`;
      const request = { baseUrl: platform.baseUrl, ...platform.admin, clientId: 'console', redirectUri };
      for (let round = 0; round < 4; round += 1) await signIn(request);
      for (const route of ['oauth/authorize"', 'sign-in/:id"', 'oauth/token"']) {
        const answered = await Promise.all([0, 1].map(async (replica) => answeredOf(await platform.metricsOf('passportsvc', replica), 'passportsvc', route)));
        expect([route, answered.map((count) => count > 0)]).toEqual([route, [true, true]]);
      }
      const wrong = { ...request, email: report.project.outsider.email, password: 'not the password' };
      for (let attempt = 1; attempt <= 5; attempt += 1) await expect(signIn(wrong)).rejects.toThrow('refused (401)');
      // The wait is a second, which a busy machine may take for the way to the password; of the account alone: others sign in from the address.
      await rowsOf(platform, 'passportsvc', "update sign_in_failure set last_failed_at = last_failed_at + interval '1 minute' where key like 'account:%'");
      await expect(signIn(wrong)).rejects.toThrow('refused (429)');
    });

    it('send one mail for each file and each to one delivery', async () => {
      const names = ['sample-building.ifc', 'sample-readings.csv'];
      const mails = readdirSync(platform.mailDir).map((file) => readFileSync(join(platform.mailDir, file), 'utf8'));
      expect(names.map((name) => mails.filter((mail) => mail.includes(`Subject: New file: ${name}`)).length)).toEqual([1, 1]);
      expect(await rowsOf(platform, 'notificationsvc', 'select status, attempts from notification')).toEqual(names.map(() => ({ status: 'SENT', attempts: 1 })));
    });

    it('run each run once', async () => {
      const logged = (words: string) => `(select count(*)::int from orchestrator_run_log where run_id = orchestrator_run.id and message like '${words} %')`;
      const runs = await rowsOf(platform, 'datasourcesvc', `select state, ${logged('Run of')} as begun, ${logged('Taken over')} as "takenOver" from orchestrator_run`);
      // Two imports, a script, and what its schedule has made.
      expect(runs.length).toBeGreaterThan(3);
      expect(runs).toEqual(runs.map(() => ({ state: 'COMPLETED', begun: 1, takenOver: 0 })));
    });

    it('handle each event once in each handler, and lose none', async () => {
      const [counted] = await rowsOf(platform, 'metricsvc', 'select count(*)::int as marks, count(distinct (handler, event_id))::int as events from event_inbox');
      expect(counted?.['marks']).toBe(counted?.['events']);
      await platform.settled();
    });

    /** Work that is too long for one answer, given to one replica; how it fares is asked of the other. */
    async function acceptedBy(taking: number): Promise<() => Promise<void>> {
      const { owner, namespace } = report.project;
      const collection = report.collections.rvt_elements;
      const { _list } = await owner.get<Page<Fields>>(`${ITEMS}/${encodeURIComponent(collection)}/relateditems`, { page: { _pageSize: 1 } });
      const relations = Array.from({ length: 1_001 }, () => ({ _relatedFromId: _list[0]?.['_id'], _relatedUserItemDbId: collection, _relatedToIds: [_list[0]?.['_id']] }));
      const other = new Api(platform.replicaUrl('itemsvc', 1 - taking), owner.token);
      const url = new URL(`${ITEMS}/${encodeURIComponent(collection)}/relationships/bulk?nsfilter=${namespace}`, platform.replicaUrl('itemsvc', taking));
      const headers = { authorization: `Bearer ${String(owner.token)}`, 'content-type': 'application/json' };
      const accepted = await patientFetch(url, { method: 'PUT', headers, body: JSON.stringify(relations) });
      expect(accepted.status).toBe(202);
      const { pathname } = new URL(accepted.headers.get('location') ?? '');
      return () => eventually(async () => expect(await other.get(pathname)).toMatchObject({ _status: 'COMPLETED' }));
    }

    it.each([0, 1])('answer at one replica how a request fares that replica %i took with 202', async (taking) => {
      await (await acceptedBy(taking))();
    });

    it('finish at one replica what the other took with 202 right before it died', async () => {
      // By their ports, of which the next process of a replica takes the same: while one is away the other would count for both.
      const replicas = [0, 1].map((replica) => platform.replicaUrl('itemsvc', replica));
      const finished = await acceptedBy(0);
      platform.kill('itemsvc', 0);
      await finished();
      const readiness = () => Promise.all(replicas.map(async (url) => (await fetch(`${url}/health/ready`)).status));
      await eventually(async () => expect(await readiness()).toEqual([200, 200]), { timeoutMs: 120_000 });
    });

    it('have a changed right in force at both replicas of each service when the call returns', async () => {
      const { owner, outsider, namespace } = report.project;
      const statuses = () => Promise.all([0, 1].flatMap((replica) => [
        at(platform.replicaUrl('itemsvc', replica), outsider.api).statusOf('GET', `${ITEMS}/${encodeURIComponent(report.collections.rvt_elements)}`),
        at(platform.replicaUrl('filesvc', replica), outsider.api).statusOf('GET', `/filesvc/api/v1/files/${report.files.model.id}`),
      ]));
      for (let round = 0; round < 20; round += 1) {
        const { _success } = await owner.put<{ _success: Fields[] }>('/passportsvc/api/v1/permissions', [
          { _namespace: namespace, _actions: ['READ'], _resourceDesc: { _irn: '*:*:*' }, _user: { _type: 'user', _id: outsider.id } },
        ]);
        expect([round, await statuses()]).toEqual([round, [200, 200, 200, 200]]);
        await owner.request('DELETE', `/passportsvc/api/v1/permissions/${String(_success[0]?.['_id'])}`);
        expect([round, await statuses()]).toEqual([round, [404, 404, 404, 404]]);
      }
    });

    it('know an index that the other replica has just made, and hand out what it has taken in', async () => {
      const { owner } = report.project;
      const path = `${ITEMS}/${encodeURIComponent(report.collections.rvt_elements)}`;
      const [one, other] = [0, 1].map((replica) => at(platform.replicaUrl('itemsvc', replica), owner)) as [Api, Api];
      const doors = () => other.get<Page<Fields>>(`${path}/relateditems`, { query: { ifcClass: 'IfcDoor' }, page: { _pageSize: 0 } });
      const before = await doors();
      await one.post(`${path}/indexes`, [{ key: { ifcClass: 1 }, options: { name: 'by_class' } }]);
      expect(await doors()).toEqual(before);
      expect(JSON.stringify(await other.get(`${path}/indexes`))).toContain('by_class');
      const digests = await Promise.all([0, 1].map(async (replica) => {
        const { pathname, search } = new URL(String(await addressOf(owner, report.files.model.id)));
        const answer = await fetch(new URL(pathname + search, platform.replicaUrl('filesvc', replica)));
        return createHash('sha256').update(Buffer.from(await answer.arrayBuffer())).digest('hex');
      }));
      expect(new Set([...digests, createHash('sha256').update(readFileSync(join(ROOT, 'tools/sample/sample-building.ifc'))).digest('hex')]).size).toBe(1);
    });

    it('end a session at both replicas of each service', async () => {
      const { viewer } = report.project;
      await viewer.api.request('GET', '/passportsvc/api/v1/logout');
      for (const service of SERVICES) {
        for (const replica of [0, 1]) {
          expect([service, replica, await at(platform.replicaUrl(service, replica), viewer.api).statusOf('GET', `/${service}/api/v1/permissions`)]).toEqual([service, replica, 401]);
        }
      }
    });

    it('do the main job while one of each dies, with the same answers', async () => {
      const killed: string[] = [];
      const again = await tour((line) => {
        const step = Object.keys(DEATHS).find((title) => line.includes(title));
        for (const service of step === undefined ? [] : (DEATHS[step] ?? [])) {
          platform.kill(service, killed.length % 2);
          killed.push(service);
        }
      });
      expect(new Set(killed)).toEqual(new Set(SERVICES));
      expect(again.model.totals).toEqual(report.model.totals);
      expect(again.readings.days).toEqual(report.readings.days);
      expect(again.metrics).toEqual(report.metrics);
      expect(again.mails).toBe(2);
    }, 600_000);
  });
}

/** Which service loses a replica after which step; two of them while the model is imported. */
const DEATHS: Readonly<Record<string, (typeof SERVICES)[number][]>> = {
  'Create an application': ['passportsvc'],
  "Upload the sensor's history": ['datasourcesvc', 'filesvc'],
  'Import the model': ['itemsvc', 'notificationsvc'],
  'Count what was imported': ['metricsvc', 'aisvc'],
};

const at = (baseUrl: string, { token, namespace }: Api) => new Api(baseUrl, token, namespace);
const addressOf = async (owner: Api, fileId: string) => (await owner.get<{ _url?: string; url?: string }>(`/filesvc/api/v1/files/${fileId}/url`))._url;

/** Requests of the public API that a process has answered, of those whose route says `word`. */
const answeredOf = (metrics: string, service: string, word = '') =>
  sumOf(metrics, 'http_request_duration_seconds_count', (labels) => labels.includes(`route="/${service}/`) && labels.includes(word));

async function rowsOf(platform: RunningPlatform, database: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: platform.databaseUrl(database) });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
