import { newUuid, SERVICES } from '@twinyard/conventions';
import type { Component } from '../src/components/component';
import type { StepContext, StepReport } from '../src/components/step-context';
import { type PlatformAddresses, PlatformHttp } from '../src/platform-client/http/platform-http';
import { PlatformClient } from '../src/platform-client/platform-client';
import { PlatformUsage } from '../src/platform-client/platform-usage';
import type { RunSecrets } from '../src/platform-client/run-secrets';
import { NS } from './running-service';

export interface ScriptStepOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly inparams?: unknown;
  readonly signal?: AbortSignal;
}

export const STARTED_AT = new Date('2024-03-31T12:00:00.000Z');

/** One step of `default_script_target` without a run around it, on a platform at an address. */
export class ScriptStep {
  readonly log: string[] = [];
  readonly reports: StepReport[] = [];
  readonly usage = new PlatformUsage();

  constructor(private readonly component: Component, private readonly platformUrl: string, private readonly options: ScriptStepOptions = {}) {}

  async run(): Promise<unknown> {
    const step = this.context();
    const prepared = await this.component.prepare?.(step, []).catch(() => undefined);
    return this.component.run({ ...step, prepared });
  }

  private context(): StepContext {
    const { params = {}, inparams = null, signal = new AbortController().signal } = this.options;
    const addresses = Object.fromEntries(SERVICES.map((service) => [service, this.platformUrl])) as PlatformAddresses;
    const http = new PlatformHttp({ addresses, token: { get: async () => 'token', drop: () => undefined }, signal, usage: this.usage, retry: { firstDelayMs: 1, longestDelayMs: 5, giveUpAfterMs: 5_000 } });
    const log: StepContext['log'] = async (level, message) => void this.log.push(`${level} ${message}`);
    return {
      runId: newUuid(), stepId: newUuid(), namespaces: [NS], params, inparams, signal, progress: null, saveProgress: async () => undefined,
      isInstant: false, runStartedAt: STARTED_AT, timeLimitMs: null, actor: { type: 'user', id: 'u', scopes: ['read', 'write'] }, platform: new PlatformClient(http, [NS], {} as RunSecrets),
      report: async (report) => void this.reports.push(report), worked: () => undefined, log,
      logAll: async (lines) => {
        for (const { level, message } of lines) await log(level, message);
      },
    };
  }
}
