import { setTimeout as delay } from 'node:timers/promises';
import { AGGREGATES_PATH, type AggregatesRequest, MAX_AGGREGATES } from '@twinyard/events';
import { signalWithin } from '@twinyard/service-kit';
import { fetchFromService } from '@twinyard/service-kit/outbound';
import type { MetricsvcSettings } from '../config';
import { type Page, RebuildSources, SourceAway, SOURCES, type SourceTopic } from './rebuild-sources';

const TRIES = 5;
const RETRY_MS = 1_000;
const TIMEOUT_MS = 60_000;
const TOO_MANY = 429;

type Request = AggregatesRequest & { readonly topic: SourceTopic };

/** The other services over their internal HTTP. One that is being restarted is waited for a little. */
export class HttpRebuildSources extends RebuildSources {
  constructor(private readonly settings: Pick<MetricsvcSettings, 'PASSPORT_URL' | 'FILESVC_URL' | 'ITEMSVC_URL' | 'SERVICE_TOKEN'>) {
    super();
    const missing = [...new Set(Object.values(SOURCES))].filter((name) => settings[name] === undefined);
    if (missing.length > 0) throw new Error(`${missing.join(', ')}: a rebuild needs the address`);
  }

  override next(topic: SourceTopic, after: string | undefined, signal?: AbortSignal): Promise<Page> {
    return this.ask({ topic, ...(after !== undefined && { after }) }, signal);
  }

  override async read(topic: SourceTopic, keys: readonly string[], signal?: AbortSignal): Promise<Page['aggregates']> {
    const found: Page['aggregates'][number][] = [];
    for (let at = 0; at < keys.length; at += MAX_AGGREGATES) {
      found.push(...(await this.ask({ topic, keys: keys.slice(at, at + MAX_AGGREGATES) }, signal)).aggregates);
    }
    return found;
  }

  private async ask(request: Request, signal?: AbortSignal): Promise<Page> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.post(request, signal).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));
      if (!(answer instanceof Error)) return answer;
      if (attempt === TRIES || !(answer instanceof SourceAway)) throw answer;
      await delay(RETRY_MS, undefined, { ...(signal && { signal }) });
    }
  }

  private async post(request: Request, signal?: AbortSignal): Promise<Page> {
    const name = SOURCES[request.topic];
    const response = await fetchFromService(new URL(AGGREGATES_PATH, this.settings[name]), {
      method: 'POST',
      headers: { authorization: `Bearer ${this.settings.SERVICE_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal: signalWithin(TIMEOUT_MS, signal),
    }).catch((cause: unknown) => {
      throw new SourceAway(`${name} cannot be reached`, { cause });
    });
    if (response.ok) return (await response.json().catch((cause: unknown) => {
      throw cause instanceof SyntaxError ? cause : new SourceAway(`${name} broke off its answer`, { cause });
    })) as Page;
    const said = `${name} answered ${response.status} when it was asked for ${request.topic}`;
    throw response.status >= 500 || response.status === TOO_MANY ? new SourceAway(said) : new Error(said);
  }
}
