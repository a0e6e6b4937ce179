import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger, MetricsRegistry } from '@twinyard/service-kit';
import type { Correction } from './corrections';
import type { Place } from './reconciliation-state';

/** Of those whose corrections the log names. */
const MOST_NAMED = 20;

/** What operators hear of the reconciliation. */
@Injectable()
export class ReconciliationReport {
  private readonly checked: ReturnType<MetricsRegistry['counter']>;
  private readonly corrected: ReturnType<MetricsRegistry['counter']>;
  private readonly passed: ReturnType<MetricsRegistry['counter']>;

  constructor(
    registry: MetricsRegistry,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.checked = registry.counter('reconciliation_checked_total', 'Files, items, workspaces and groups whose figures this process has compared with their service');
    this.corrected = registry.counter('reconciliation_corrected_total', 'Of them, those whose figures were wrong and were put right');
    this.passed = registry.counter('reconciliation_passed_over_total', 'Pages that could not be compared, and were passed over');
  }

  compared(count: number): void {
    this.checked.inc(count);
  }

  putRight(topic: string, corrections: readonly Correction[]): void {
    if (corrections.length === 0) return;
    this.corrected.inc(corrections.length);
    this.logger.warn({ topic, count: corrections.length, corrections: corrections.slice(0, MOST_NAMED) }, 'events of these were lost; their metrics were put right');
  }

  /** A page. It goes on behind as many as are known here; where none is, all behind it is left out too. */
  passedOver(place: Place): void {
    this.passed.inc();
    this.logger.error({ place }, 'these could not be compared with their service, and are left out of this round');
  }

  ended({ checked, corrected }: { readonly checked: number; readonly corrected: number }): void {
    this.logger.info({ checked, corrected }, 'the metrics were compared with the other services');
  }

  failed(error: unknown): void {
    this.logger.warn({ reason: error instanceof Error ? error.message : String(error) }, 'the metrics cannot be compared with the other services right now');
  }
}
