import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DurableRequests, Schedules } from '@twinyard/jobs';
import type { ImportRecord } from './import';
import { ImportsRepository } from './imports.repository';

const EVERY_MS = 600_000;
/** An upload of which nothing has arrived for so long has ended with its process. */
const SILENT_MS = 3_600_000;
const PAGE = 100;

/** Removes the files of uploads that were never whole and of imports that have ended, where nobody else was left to do so. */
@Injectable()
export class ImportsSweep implements OnModuleInit {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly requests: DurableRequests,
    private readonly schedules: Schedules,
  ) {}

  onModuleInit(): void {
    this.schedules.every('itemsvc.import-sweep', { everyMs: EVERY_MS, atStart: true }, (signal) => this.sweep(Date.now(), signal));
  }

  /** Of what was left at `now`, in ms. */
  async sweep(now: number, signal?: AbortSignal): Promise<void> {
    // By their ids: those that wait for a worker are passed over, and there may be more of them than a page.
    for (let after = '', more = true; more && signal?.aborted !== true; ) {
      const silent = await this.imports.untouchedSince(now - SILENT_MS, after, PAGE);
      for (const record of silent) if (!(await this.isAwaited(record))) await this.imports.remove(record._id);
      after = silent.at(-1)?._id ?? after;
      more = silent.length === PAGE;
    }
  }

  private async isAwaited({ _id, isWhole }: ImportRecord): Promise<boolean> {
    if (!isWhole) return false;
    const request = await this.requests.find(_id);
    return request !== undefined && request.response === undefined;
  }
}
