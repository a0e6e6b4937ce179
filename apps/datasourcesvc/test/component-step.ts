import { SERVICES } from '@twinyard/conventions';
import type { Component } from '../src/components/component';
import type { StepContext, StepReport } from '../src/components/step-context';
import { PlatformClient } from '../src/platform-client/platform-client';
import { type PlatformAddresses, PlatformHttp } from '../src/platform-client/http/platform-http';
import { PlatformUsage } from '../src/platform-client/platform-usage';
import { NS } from './running-service';

/** What a worker that dies leaves undone. */
export class WorkerDied extends Error {}

/** A step of a component without a run around it, on the stand-in of the platform. It may be begun again, from what it has saved. */
export class ComponentStep {
  readonly log: string[] = [];
  readonly reports: StepReport[] = [];
  progress: unknown = null;
  /** What the step before returned. */
  inparams: unknown = null;
  readonly usage = new PlatformUsage();
  /** The worker dies instead of saving what fits this. */
  diesAt: (progress: unknown) => boolean = () => false;

  constructor(private readonly component: Component, private readonly params: Readonly<Record<string, unknown>>, private readonly url: string, private readonly stepId = 'the-step') {}

  run(signal = new AbortController().signal): Promise<unknown> {
    return this.component.run(this.context(signal));
  }

  async undo(): Promise<void> {
    await this.component.undo?.(this.context(new AbortController().signal));
  }

  /** Sentences of a level. */
  said(level: string): string[] {
    return this.log.filter((line) => line.startsWith(`${level}: `)).map((line) => line.slice(level.length + 2));
  }

  private context(signal: AbortSignal): StepContext {
    const { url, usage } = this;
    const token = { get: async () => 'token', drop: () => undefined };
    const addresses = Object.fromEntries(SERVICES.map((service) => [service, url])) as PlatformAddresses;
    const http = new PlatformHttp({ addresses, token, signal, usage, retry: { firstDelayMs: 1, longestDelayMs: 5, giveUpAfterMs: 2_000 } });
    const log: StepContext['log'] = async (level, message) => void this.log.push(`${level}: ${message}`);
    return {
      runId: 'the-run', stepId: this.stepId, namespaces: [NS], params: this.params, inparams: this.inparams, signal, progress: structuredClone(this.progress),
      isInstant: false, runStartedAt: new Date(), timeLimitMs: null, actor: { type: 'user', id: 'u', scopes: [] },
      platform: new PlatformClient(http, [NS], { tell: async () => new Map() } as unknown as PlatformClient['secrets']),
      saveProgress: async (progress) => {
        if (this.diesAt(progress)) throw new WorkerDied();
        this.progress = structuredClone(progress);
      },
      worked: () => undefined,
      report: async (report) => void this.reports.push(report),
      log,
      logAll: async (lines) => {
        for (const { level, message } of lines) await log(level, message);
      },
    };
  }
}
