import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { BenchRow } from '../bench-table';
import type { BenchOptions } from '../options';
import type { ProcessorClock } from '../platform/process-usage';
import { drive, type Load, medianLoad, processorTime } from '../statistics';
import { IdentityClient } from './identity-client';

const GOAL = '<= 10 ms';
const PAGE_SIZE = 100;
/** Groups lie in as many applications; the caller may read all of some of them, and single ones of the others. */
const [GROUPS, APPLICATIONS, WHOLE, SINGLE, TYPES] = [100_000, 100, 5, 500, 10];

export interface GroupListBench {
  readonly databaseUrl: string;
  readonly direct: string;
  /** Of passportsvc. */
  readonly clock: ProcessorClock;
  readonly gateway: string;
  readonly token: string;
  readonly userId: string;
}

/** A filtered list out of very many groups, of which the caller's grants reach a part. One request at a time. */
export async function benchGroupList({ databaseUrl, direct, clock, gateway, token, userId }: GroupListBench, { lists, rounds }: BenchOptions): Promise<BenchRow[]> {
  await makeGroups(databaseUrl, userId);
  const rows: BenchRow[] = [];
  for (const [way, origin] of [['', direct], [', through the gateway', gateway]] as const) {
    const http = new IdentityClient(origin, 1);
    const list = async (index: number) => {
      const page = await http.ask<{ _total: number; _list: unknown[] }>('GET', `/passportsvc/api/v1/usergroups?includeAll=true&_userType=bench-${index % TYPES}&_pageSize=${PAGE_SIZE}`, { token });
      if (page._list.length !== PAGE_SIZE || page._total !== ((GROUPS / APPLICATIONS) * WHOLE + SINGLE) / TYPES) throw new Error(`${page._list.length} of ${page._total} groups`);
    };
    const loads: Load[] = [];
    for (let round = 0; round <= rounds; round += 1) {
      const measured = await drive(lists, 1, list, clock);
      if (round > 0) loads.push(measured);
    }
    const load = medianLoad(loads);
    const { p50Ms, p99Ms } = load;
    rows.push({
      group: 'identity', what: `list ${PAGE_SIZE} of ${GROUPS.toLocaleString('en')} groups, filtered, in the caller's reach${way}`,
      measured: `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`, value: p50Ms, goal: GOAL, ...processorTime(load),
    });
  }
  return rows;
}

/** By SQL: making them through the API would take longer than all else, and would measure something else. */
async function makeGroups(url: string, userId: string): Promise<void> {
  const client = new Client({ connectionString: url });
  const prefix = `bench${randomBytes(3).toString('hex')}`;
  const namespaceOf = (expression: string) => `'${prefix}' || ${expression} || '_00000000'`;
  await client.connect();
  try {
    await client.query(
      `INSERT INTO usergroup (id, name, short_name, description, user_type, user_attributes, namespace, parent_namespace, app_id, is_default, created_at, updated_at, created_by_id, updated_by_id)
       SELECT gen_random_uuid(), 'Bench ' || g, 'bench', '', 'bench-' || (g / ${APPLICATIONS}) % ${TYPES}, '{}', ${namespaceOf(`'g' || g`)}, ${namespaceOf(`g % ${APPLICATIONS}`)}, 'bench', false, now(), now(), 'bench', 'bench'
       FROM generate_series(0, ${GROUPS - 1}) g`,
    );
    const grant = (namespace: string, irn: string, from: string) =>
      `INSERT INTO permission (id, namespace, actions, irn, principal_type, principal_id, created_at, updated_at, created_by_id, updated_by_id)
       SELECT gen_random_uuid(), ${namespace}, '{READ}', ${irn}, 'user', $1, now(), now(), 'bench', 'bench' FROM ${from}`;
    await client.query(grant(namespaceOf('a'), `'passportsvc:usergroup:*'`, `generate_series(0, ${WHOLE - 1}) a`), [userId]);
    const singles = `(SELECT * FROM usergroup WHERE app_id = 'bench' AND parent_namespace = ANY($2) ORDER BY position LIMIT ${SINGLE}) u`;
    const others = Array.from({ length: SINGLE / (APPLICATIONS / TYPES) }, (_, index) => `${prefix}${WHOLE + index}_00000000`);
    await client.query(grant('u.parent_namespace', `'passportsvc:usergroup:' || u.id`, singles), [userId, others]);
    await client.query('ANALYZE usergroup, permission');
  } finally {
    await client.end();
  }
}
