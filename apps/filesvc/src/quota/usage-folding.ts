import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger, PeriodicSweep } from '@twinyard/service-kit';
import { NamespaceUsageRepository } from './namespace-usage.repository';

/** Keeps the sum of what a namespace holds cheap. */
@Injectable()
export class UsageFolding extends PeriodicSweep {
  constructor(private readonly usage: NamespaceUsageRepository, @Inject(LOGGER) logger: Logger) {
    super({ everyMs: 10_000, atStart: true, complaint: 'could not fold what namespaces hold' }, logger);
  }

  override sweep(): Promise<number> {
    return this.usage.fold();
  }
}
