import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger, PeriodicSweep, type TypeOrmTx } from '@twinyard/service-kit';
import { FileCountsRepository } from '../files/file-counts.repository';
import { NamespaceUsageRepository } from './namespace-usage.repository';

/** Keeps the sum of what a namespace holds cheap: of its bytes and of its files. */
@Injectable()
export class UsageFolding extends PeriodicSweep {
  constructor(private readonly usage: NamespaceUsageRepository, private readonly counts: FileCountsRepository, @Inject(LOGGER) logger: Logger) {
    super({ everyMs: 10_000, atStart: true, complaint: 'could not fold what namespaces hold' }, logger);
  }

  override async sweep(): Promise<void> {
    await this.usage.fold();
    await this.counts.fold();
  }

  /** Of a namespace that holds nothing, nothing is left. */
  async foldOne(tx: TypeOrmTx, namespace: string): Promise<void> {
    await this.usage.foldOne(tx, namespace);
    await this.counts.foldOne(tx, namespace);
  }
}
