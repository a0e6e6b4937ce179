import { setTimeout as delay } from 'node:timers/promises';
import { AGGREGATES_PATH, type AggregatesRequest, MAX_AGGREGATES } from '@twinyard/events';
import type { MetricsvcSettings } from '../config';
import { type Page, RebuildSources, SOURCES, type SourceTopic } from './rebuild-sources';

const TRIES = 5;
const RETRY_MS = 1_000;
const TIMEOUT_MS = 60_000;

/** The other services over their internal HTTP. One that is being restarted is waited for a little. */
export class HttpRebuildSources extends RebuildSources {
  constructor(private readonly settings: Pick<MetricsvcSettings, 'PASSPORT_URL' | 'FILESVC_URL' | 'ITEMSVC_URL' | 'SERVICE_TOKEN'>) {
    super();
    const missing = [...new Set(Object.values(SOURCES))].filter((name) => settings[name] === undefined);
    if (missing.length > 0) throw new Error(`${missing.join(', ')}: a rebuild needs the address`);
  }

  override next(topic: SourceTopic, after: string | undefined): Promise<Page> {
    return this.ask({ topic, ...(after !== undefined && { after }) });
  }

  override async read(topic: SourceTopic, keys: readonly string[]): Promise<Page['aggregates']> {
    const found: Page['aggregates'][number][] = [];
    for (let at = 0; at < keys.length; at += MAX_AGGREGATES) {
      found.push(...(await this.ask({ topic, keys: keys.slice(at, at + MAX_AGGREGATES) })).aggregates);
    }
    return found;
  }

  private async ask(request: AggregatesRequest & { readonly topic: SourceTopic }): Promise<Page> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.post(request).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
      if (!(answer instanceof Error)) return answer;
      if (attempt === TRIES) throw answer;
      await delay(RETRY_MS);
    }
  }

  private async post(request: AggregatesRequest & { readonly topic: SourceTopic }): Promise<Page> {
    const name = SOURCES[request.topic];
    const response = await fetch(new URL(AGGREGATES_PATH, this.settings[name]), {
      method: 'POST',
      headers: { authorization: `Bearer ${this.settings.SERVICE_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((cause: unknown) => {
      throw new Error(`${name} cannot be reached`, { cause });
    });
    if (!response.ok) throw new Error(`${name} answered ${response.status} when it was asked for ${request.topic}`);
    return (await response.json()) as Page;
  }
}
