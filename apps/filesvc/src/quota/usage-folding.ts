import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Schedules } from '@twinyard/jobs';
import type { TypeOrmTx } from '@twinyard/service-kit';
import { FileCountsRepository } from '../files/file-counts.repository';
import { NamespaceUsageRepository } from './namespace-usage.repository';

const EVERY_MS = 10_000;

/** Keeps the sum of what a namespace holds cheap: of its bytes and of its files. */
@Injectable()
export class UsageFolding implements OnModuleInit {
  constructor(private readonly usage: NamespaceUsageRepository, private readonly counts: FileCountsRepository, private readonly schedules: Schedules) {}

  onModuleInit(): void {
    this.schedules.every('filesvc.usage-folding', { everyMs: EVERY_MS, atStart: true }, () => this.fold());
  }

  async fold(): Promise<void> {
    await this.usage.fold();
    await this.counts.fold();
  }

  /** Of a namespace that holds nothing, nothing is left. */
  async foldOne(tx: TypeOrmTx, namespace: string): Promise<void> {
    await this.usage.foldOne(tx, namespace);
    await this.counts.foldOne(tx, namespace);
  }
}
