// Measures pg-boss in a process of its own, on a newer Node than ours: `node pg-boss-jobs.mjs '<work in JSON>'`, with DATABASE_URL and
// PG_BOSS, the folder that it is installed in. Answers one line of JSON. What it leaves out beside the work itself (maintenance,
// schedules, a register of instances) is in its favour.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const { DATABASE_URL: connectionString = '', PG_BOSS: folder = '' } = process.env;
const { PgBoss } = await import(pathToFileURL(createRequire(join(folder, 'package.json')).resolve('pg-boss')).href);

/** Half a second is the least that it takes, also for what its notices miss. */
const POLLING = { pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 };
const WARM_UP = 500;

const WORK = { latencies, throughput };

/** From before the call that enqueues to the handler, in ms: `count` jobs, one after the other. Without `listens` the next waits for some part of an interval, as jobs come. */
async function latencies(boss, { count, listens }) {
  const waits = [];
  const queue = await newQueue(boss, { notify: listens });
  await boss.work(queue, { ...POLLING, batchSize: 32 }, async (jobs) => {
    for (const { data } of jobs) waits.push(performance.now() - data.at);
  });
  await delay(1_000);
  for (let n = 1; n <= count; n += 1) {
    await boss.send(queue, { at: performance.now() });
    while (waits.length < n) await delay(2);
    if (!listens) await delay(Math.random() * 500);
  }
  await boss.offWork(queue);
  return waits;
}

/** `count` short jobs that wait already, a second, by so many workers that take so many at a time: until none of them is left. A batch ends as one. */
async function throughput(boss, { count, workers, batch }) {
  await doAll(boss, { count: WARM_UP, workers, batch });
  return doAll(boss, { count, workers, batch });
}

async function doAll(boss, { count, workers, batch }) {
  const queue = await newQueue(boss, { notify: true });
  await boss.insert(queue, Array.from({ length: count }, () => ({ data: { at: performance.now() } })));
  let done = 0;
  const began = performance.now();
  await boss.work(queue, { ...POLLING, localConcurrency: workers, batchSize: batch, burstWhenBatchFull: true }, async (jobs) => {
    done += jobs.length;
  });
  while (done < count || (await leftIn(boss, queue)) > 0) await delay(done < count ? 2 : 20);
  const rate = (count / (performance.now() - began)) * 1_000;
  await boss.offWork(queue);
  await boss.deleteAllJobs(queue);
  if (done !== count) throw new Error(`${done} of ${count} jobs were done`);
  return rate;
}

async function leftIn(boss, queue) {
  const { rows } = await boss.getDb().executeSql(`SELECT count(*)::int AS left FROM pgboss.job WHERE name = $1 AND state < 'completed'`, [queue]);
  return rows[0].left;
}

let made = 0;
async function newQueue(boss, options) {
  made += 1;
  const name = `bench-${process.pid}-${made}`;
  await boss.createQueue(name, options);
  return name;
}

const fail = (problem) => {
  process.stderr.write(`${problem?.message ?? JSON.stringify(problem)}\n`);
  process.exit(1);
};

async function main({ what, ...work }) {
  const boss = new PgBoss({ connectionString, useListenNotify: work.listens !== false, supervise: false, schedule: false, registerInstance: false });
  boss.on('error', fail);
  boss.on('warning', (warning) => (warning?.data?.type === 'listen_notify_unavailable' ? fail(warning) : undefined));
  await boss.start();
  const measured = await WORK[what](boss, work);
  process.stdout.write(`${JSON.stringify({ node: process.version, measured })}\n`, () => process.exit(0));
}

main(JSON.parse(process.argv[2] ?? '{}')).catch(fail);
