import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import type { BenchPlatform } from './bench-platform';

const EVERY_MS = 500;
const AT_MOST_MS = 20 * 60_000;
/** Of contract 0.6: what a service has not sent, and what it has not handled. */
const WAITING = /^(?:events_outbox_backlog|events_lag)(?:\{[^}]*\})? (\S+)$/gm;

/**
 * Until what was done so far causes no work any more: no service has an event to send or to handle, and no version waits for its picture.
 * Seen twice: what handles an event may write one. Whoever measures a single request after many writes would measure those too.
 */
export async function workedOff(platform: BenchPlatform): Promise<void> {
  const client = new Client({ connectionString: platform.databaseUrl('filesvc') });
  await client.connect();
  try {
    const until = performance.now() + AT_MOST_MS;
    for (let quiet = 0; quiet < 2; ) {
      if (performance.now() > until) throw new Error('The backlog of events and previews does not end');
      await delay(EVERY_MS);
      quiet = (await waiting(platform, client)) === 0 ? quiet + 1 : 0;
    }
  } finally {
    await client.end();
  }
}

async function waiting(platform: BenchPlatform, client: Client): Promise<number> {
  const events = await Promise.all(platform.services.map((service) => eventsOf(platform.serviceUrl(service))));
  const { rows } = await client.query<{ tasks: string }>(`SELECT count(*) AS tasks FROM job WHERE kind = 'filesvc.preview' AND state <> 'DEAD'`);
  return events.reduce((total, service) => total + service, Number(rows[0]?.tasks));
}

/** A number that a service cannot tell is none that is 0. */
async function eventsOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const numbers = [...text.matchAll(WAITING)].map(([, value]) => Number(value));
  return numbers.length === 0 ? Number.NaN : numbers.reduce((total, value) => total + value, 0);
}
