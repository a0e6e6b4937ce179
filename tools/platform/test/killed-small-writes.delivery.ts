import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@twinyard/testing';
import type { Fields, Page } from '../../tour/api';
import { ITEMS } from '../../tour/steps/items';
import { makeProject, type Project } from '../../tour/steps/project';
import { TourLog } from '../../tour/tour-log';
import { HAS_PROC, RunningPlatform } from './running-platform';
import { Traces } from './traces';

const drill = HAS_PROC ? it : it.skip;
/** More than a process has places, so that they share transactions. */
const CONNECTIONS = 64;
/** What a busy machine may take for the start of a service. */
const PATIENCE = { timeoutMs: 120_000 };
const PAUSE_MS = 100;
const silent = () => undefined;

/** One item a request, each with a number of its own; every second one under a key, and so sent until it is answered. */
class Creates {
  readonly answered: number[] = [];
  /** Of which nobody knows. */
  readonly lost: number[] = [];
  private next = 0;
  private goesOn = true;
  private readonly lines: Promise<void>[];

  constructor(private readonly url: URL, private readonly token: string) {
    this.lines = Array.from({ length: CONNECTIONS }, () => this.line());
  }

  async stop(): Promise<void> {
    this.goesOn = false;
    await Promise.all(this.lines);
  }

  /** Resolves when so many more were answered. */
  async more(count: number): Promise<void> {
    const wanted = this.answered.length + count;
    await eventually(() => expect(this.answered.length).toBeGreaterThanOrEqual(wanted), PATIENCE);
  }

  private async line(): Promise<void> {
    while (this.goesOn) {
      const n = this.next++;
      const key = n % 2 === 0 ? `small-${n}` : undefined;
      let isAnswered = await this.send(n, key);
      while (!isAnswered && key !== undefined) {
        await delay(PAUSE_MS);
        isAnswered = await this.send(n, key);
      }
      (isAnswered ? this.answered : this.lost).push(n);
      if (!isAnswered) await delay(PAUSE_MS);
    }
  }

  private async send(n: number, key: string | undefined): Promise<boolean> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) };
    const response = await fetch(this.url, { method: 'POST', headers, body: JSON.stringify([{ n }]) }).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response !== undefined && response.status < 500 && response.status !== 201 && response.status !== 409) throw new Error(`${response.status} ${text}`);
    return response?.status === 201 && text !== undefined;
  }
}

describe('small writes that share transactions, under kill -9', () => {
  let platform: RunningPlatform;
  let project: Project;

  beforeAll(async () => {
    platform = await RunningPlatform.start({ RATE_LIMIT_PER_MINUTE: '10000000' });
    project = await makeProject({ baseUrl: platform.baseUrl, ...platform.admin, model: '', readings: '', print: silent }, new TourLog(silent));
  }, 300_000);
  afterAll(() => platform?.remove());

  drill.each(['itemsvc', 'PostgreSQL'])('are there once each, those that were answered, when %s dies, and are counted right', async (dying) => {
    const { owner, namespace } = project;
    const draft = { _name: 'Small', _shortName: 'small', _description: '', _namespaces: [namespace], _userType: 'small', _itemClass: 'NamedUserCollection', _version: { _userAttributes: {} } };
    const { _list: [made] } = await owner.post<Page<Fields>>(ITEMS, [draft]);
    const { _id: itemId, _tipId: versionId } = made as { _id: string; _tipId: string };
    const creates = new Creates(new URL(`${ITEMS}/${itemId}/relateditems?nsfilter=${namespace}`, platform.baseUrl), String(owner.token));
    for (let death = 0; death < 3; death += 1) {
      await creates.more(300);
      if (dying === 'itemsvc') platform.kill('itemsvc');
      else platform.killDatabase();
    }
    await creates.more(300);
    await creates.stop();

    const traces = await Traces.open(platform);
    const rows = await traces.query<{ n: number; times: number }>('itemsvc', `SELECT (doc ->> 'n')::int AS n, count(*)::int AS times FROM "doc_c${itemId}" GROUP BY 1`);
    const [counters] = await traces.query<{ count: number }>('itemsvc', `SELECT (doc ->> 'relatedItemsCount')::int AS count FROM doc_counters WHERE id = $1`, [versionId]).finally(() => traces.close());
    const there = new Set(rows.map(({ n }) => n));
    expect(rows.filter(({ times }) => times !== 1)).toEqual([]);
    expect(creates.answered.filter((n) => !there.has(n))).toEqual([]);
    const known = new Set([...creates.answered, ...creates.lost]);
    expect([...there].filter((n) => !known.has(n))).toEqual([]);
    expect(counters?.count).toBe(rows.length);
  }, 600_000);
});
