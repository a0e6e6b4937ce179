import { Access, type EffectiveGrants, GrantSource, RequestContext, RequestPlaces } from '@twinyard/auth';
import { unavailable } from '@twinyard/conventions';
import { createLogger, FairShare, MetricsRegistry } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import { Run } from '../runs/run.entity';
import type { LogHead, PlacedRecord, RunLogsRepository } from '../runs/run-logs.repository';
import { FollowedLogs, FollowTerms } from './followed-logs';

const NS = 'house_a1B2c3D4';
const GRANTS: EffectiveGrants = {
  active: true, platformManager: false, groupIds: [],
  grants: [{ permissionId: 'p', namespace: NS, actions: ['READ'], irn: 'datasourcesvc:orchestrator:*', via: { type: 'user', id: 'ann' } }],
};
const RUN = Object.assign(new Run(), { id: 'r', orchestratorId: 'o', namespaces: [NS] });

/** Says that nobody can say, as often as it is told to. */
class Grants extends GrantSource {
  outages = 0;
  asked = 0;

  protected override async held(): Promise<EffectiveGrants> {
    this.asked += 1;
    if (this.outages > 0) {
      this.outages -= 1;
      throw unavailable('nobody can say');
    }
    return GRANTS;
  }

  protected override heldNow(): EffectiveGrants | undefined {
    return undefined;
  }
}

describe('logs that are followed', () => {
  let head: LogHead;
  let looks: number;
  let read: number;
  let grants: Grants;

  beforeEach(() => {
    head = { runId: 'r', state: 'RUNNING', namespaces: [NS], orchestratorId: 'o', last: 0 };
    [looks, read, grants] = [0, 0, new Grants()];
  });

  const recordAt = (place: number): PlacedRecord => ({ place, at: new Date(), level: 'info', message: 'x'.repeat(4_000) });
  const logs: Pick<RunLogsRepository, 'heads' | 'placeOf' | 'between'> = {
    heads: async () => {
      looks += 1;
      return [head];
    },
    placeOf: async () => undefined,
    between: async (place, { last }) => {
      const records = Array.from({ length: Math.min(16, last - place) }, (_record, index) => recordAt(place + index + 1));
      read += records.length;
      return records;
    },
  };
  const open = async (commentMs?: number) => {
    const places = new RequestPlaces(new FairShare({ places: 2, share: 0.5, waiting: { requests: 0, bytes: 0 }, waitMs: 0 }));
    const followed = new FollowedLogs(logs as RunLogsRepository, grants, places, new FollowTerms(2, 0.5, commentMs), createLogger('test', 'silent'), new MetricsRegistry());
    const principal = { type: 'user', id: 'ann', tokenId: 't', scopes: ['read'] } as const;
    const events = await followed.open(new RequestContext(principal, new Access(GRANTS, ['read'], [NS]), 'request', '127.0.0.1'), RUN, 0);
    if (events === undefined) throw new Error('nothing to follow');
    return { followed, events: events.setEncoding('utf8') };
  };

  it('hold no more for a reader that does not read than what lies there for it, and go on when it does', async () => {
    head = { ...head, last: 1_000 };
    const { events, followed } = await open();
    const begun = looks;
    await eventually(() => looks > begun + 2);
    const held = read;
    await eventually(() => looks > begun + 4);
    expect([read, held <= 40]).toEqual([held, true]);
    let text = '';
    events.on('data', (piece: string) => (text += piece));
    await eventually(() => expect(text).toContain('id: 1000\n'));
    expect(read).toBe(1_000);
    followed.beforeApplicationShutdown();
    await eventually(() => events.closed);
  });

  it('say something now and then where there is nothing to say', async () => {
    const { events, followed } = await open(1);
    let text = '';
    events.on('data', (piece: string) => (text += piece));
    await eventually(() => expect(text).toMatch(/^(:\n\n){3,}$/));
    followed.beforeApplicationShutdown();
    await eventually(() => events.closed);
  });

  it('tell nothing while nobody can say who may read, and go on then', async () => {
    head = { ...head, state: 'COMPLETED', last: 3 };
    grants.outages = 2;
    const { events } = await open();
    let text = '';
    events.on('data', (piece: string) => (text += grants.outages > 0 && piece.includes('data') ? 'too early' : piece));
    await eventually(() => events.closed);
    expect([grants.asked, text.match(/^id: /gm)?.length, text.includes('"end":true'), text.includes('too early')]).toEqual([3, 3, true, false]);
  });
});
