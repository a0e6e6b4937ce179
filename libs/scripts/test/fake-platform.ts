import { FakeTables } from './fake-tables';
import { type ScriptAnswer, type ScriptCall, type ScriptOutcome, ScriptPlatform, type ScriptRequest, type ScriptRunner } from '../src';

type Answering = (request: ScriptRequest, url: URL, signal: AbortSignal) => Promise<ScriptAnswer>;

export const NOW = Date.UTC(2024, 2, 31, 12);

export const json = (body: unknown, status = 200): ScriptAnswer => ({ status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: Buffer.from(JSON.stringify(body)) });
export const bytes = (content: Uint8Array, type: string): ScriptAnswer => ({ status: 200, headers: { 'content-type': type }, body: content });
export const nothing = (status: number): ScriptAnswer => ({ status, headers: {}, body: Buffer.alloc(0) });
export const refused = (status: number, code: string, message: string) => Object.assign(new Error(message), { status, code });

/** A platform that answers what a spec says; hears everything. */
export class FakePlatform {
  readonly requests: ScriptRequest[] = [];
  readonly progress: (readonly [done: number, total: number | undefined])[] = [];
  answering: Answering = async () => json({});
  tables = new FakeTables();

  constructor(private readonly runner: () => ScriptRunner) {}

  reset(): void {
    this.requests.length = 0;
    this.progress.length = 0;
    this.answering = async () => json({});
    this.tables = new FakeTables();
  }

  /** `METHOD path?query` of each request. */
  get asked(): string[] {
    return this.requests.map(({ method, path }) => `${method} ${decodeURIComponent(path)}`);
  }

  bodyOf(index: number): unknown {
    const { body = 'null' } = this.requests[index] ?? {};
    return JSON.parse(Buffer.from(body).toString());
  }

  async run(source: string, input: unknown = null, more: Partial<ScriptCall> = {}): Promise<ScriptOutcome & { readonly underWay: number }> {
    const platform = new ScriptPlatform({ runId: 'the-run', stepId: 'the-step', namespaces: ['a_1', 'b_2'], principalInfo: { type: 'user', id: 'u', scopes: ['read'] }, now: NOW }, {
      request: (request, { signal }) => {
        this.requests.push(request);
        return this.answering(request, new URL(request.path, 'http://platform'), signal);
      },
      progress: (done, total) => this.progress.push([done, total]),
      tables: this.tables,
    });
    const outcome = await this.runner().run({ source, ...platform.callWith(input), ...more });
    const { underWay } = platform;
    await platform.close();
    return { ...outcome, underWay };
  }

  /** What a function of this body returns. */
  async result(body: string, input: unknown = null): Promise<unknown> {
    const outcome = await this.run(`export default async (input, { platform, dates, csv, xlsx }, ctx) => { ${body} }`, input);
    if (outcome.kind !== 'returned') throw new Error(JSON.stringify(outcome));
    return outcome.result;
  }
}
