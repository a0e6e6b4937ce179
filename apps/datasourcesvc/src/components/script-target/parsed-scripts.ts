import { createHash } from 'node:crypto';
import type { ScriptCall, ScriptRunner } from '@twinyard/scripts';
import { faultOf } from './script-end';

const MOST_KNOWN = 1_000;

export type ParsedCall = Pick<ScriptCall, 'source' | 'name' | 'modules' | 'owners' | 'signal'>;

/** Whether scripts parse, which each is asked once. */
export class ParsedScripts {
  /** By digest; `undefined` where nothing is wrong. */
  private readonly known = new Map<string, string | undefined>();

  /** What is wrong with it, with line and column. */
  async faultOf(call: ParsedCall, runner: ScriptRunner): Promise<string | undefined> {
    const digest = createHash('sha256').update(JSON.stringify([call.name, call.source, call.modules])).digest('base64');
    if (this.known.has(digest)) return this.known.get(digest);
    const outcome = await runner.run({ ...call, parseOnly: true });
    const fault = faultOf(outcome);
    if (fault !== undefined || outcome.kind === 'returned') this.remember(digest, fault);
    return fault;
  }

  private remember(digest: string, fault: string | undefined): void {
    const [oldest] = this.known.keys();
    if (this.known.size >= MOST_KNOWN && oldest !== undefined) this.known.delete(oldest);
    this.known.set(digest, fault);
  }
}
