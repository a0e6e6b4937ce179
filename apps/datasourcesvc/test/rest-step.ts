import { newUuid } from '@twinyard/conventions';
import { HostPatterns } from '../src/components/rest-connector/host-patterns';
import { restConnector } from '../src/components/rest-connector/rest-connector.component';
import type { RestRules } from '../src/components/rest-connector/rest-rules';
import type { StepContext } from '../src/components/step-context';

/** As many as may be called where a spec says nothing: those on this machine. */
export const restRules = (changes: Partial<RestRules> = {}): RestRules => ({
  hosts: new HostPatterns('127.0.0.1'), allowPrivate: true, files: { mostBytes: 128 * 1024 ** 2, pace: { silenceMs: 60_000, leastBytesPerSecond: 1 } }, ...changes,
});

export interface RestResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: unknown;
  readonly _pages?: number;
  readonly _next?: string;
}

export interface RestStepOptions {
  readonly hosts?: string;
  readonly allowPrivate?: boolean;
  readonly inparams?: unknown;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** One step of `rest_connector` without a run around it. */
export class RestStep {
  readonly log: string[] = [];
  readonly asked: string[] = [];

  constructor(private readonly params: Readonly<Record<string, unknown>>, private readonly options: RestStepOptions = {}) {}

  async run(): Promise<RestResult> {
    const { hosts = '127.0.0.1', allowPrivate = true } = this.options;
    return (await restConnector(restRules({ hosts: new HostPatterns(hosts), allowPrivate })).run(this.context())) as RestResult;
  }

  private context(): StepContext {
    const { inparams = null, secrets = {}, signal = new AbortController().signal } = this.options;
    const tell = async (names: readonly string[]) => {
      this.asked.push(...names);
      return new Map(names.map((name) => [name, secrets[name] ?? '']));
    };
    const nothing = async () => undefined;
    return {
      runId: newUuid(), stepId: 'the-step', namespaces: [], params: this.params, inparams, signal, progress: null, saveProgress: nothing, report: nothing, worked: () => undefined,
      platform: { secrets: { tell } } as unknown as StepContext['platform'],
      isInstant: false, runStartedAt: new Date(), timeLimitMs: null, actor: { type: 'user', id: 'u', scopes: [] },
      log: async (level, message) => void this.log.push(`${level}: ${message}`), logAll: nothing,
    };
  }
}
