import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { type FieldIssue, ServiceError } from '@twinyard/conventions';
import { ScriptRunner, syntaxFaultOf } from '@twinyard/scripts';
import { signalWithin } from '@twinyard/service-kit';
import { sourceIn } from './script-source';

/** A script that was written, and where it stands in what was sent. */
export interface WrittenScript {
  readonly field: string;
  readonly userData: unknown;
  readonly namespaces: readonly string[];
}

/** For all scripts of a request together: whoever writes them waits for it. */
const WITHIN_MS = 2_000;
const ONE_MS = 500;

/** What keeps scripts from being run, told to whoever writes them. They are kept all the same: their authors may go on tomorrow, and a run says it again. */
@Injectable()
export class ScriptFaults implements OnApplicationShutdown {
  constructor(private readonly runner: ScriptRunner) {}

  async onApplicationShutdown(): Promise<void> {
    await this.runner.close();
  }

  /** As far as there is time to read them; nothing is run. */
  async of(ctx: RequestContext, scripts: readonly WrittenScript[]): Promise<readonly FieldIssue[]> {
    if (scripts.length === 0) return [];
    const signal = signalWithin(WITHIN_MS);
    const faults: FieldIssue[] = [];
    for (const { field, userData, namespaces } of scripts) {
      const issue = signal.aborted ? undefined : await this.faultOf(sourceIn(userData), ctx.access.tenantsOf(namespaces), signal);
      if (issue !== undefined) faults.push({ field, issue });
    }
    return faults;
  }

  private async faultOf(source: string, owners: readonly string[], signal: AbortSignal): Promise<string | undefined> {
    try {
      return syntaxFaultOf(await this.runner.run({ source, owners, signal, parseOnly: true, limits: { timeMs: ONE_MS } }));
    } catch (error) {
      // Too many wait already, or the service is about to stop.
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }
}
