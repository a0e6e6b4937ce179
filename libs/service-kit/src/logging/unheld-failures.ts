import type { MetricsRegistry } from '../metrics/metrics-registry';
import type { Logger } from './logger';
import type { OpenRequests } from './open-requests';

/**
 * A promise failed that nobody waits for. Node would end the process, and with it what it does for everybody else. It need not: each request has its own transaction, and what
 * is kept beyond one stands in the stores. So it is told (with the requests that were open: it is of one of them, mostly) and counted, and the service goes on. An exception outside of any promise
 * is another matter: it may have left a library in the middle of something, so the process ends and is started again.
 */
export function tellUnheldFailures(logger: Logger, requests: OpenRequests, metrics: MetricsRegistry): void {
  const count = metrics.counter('unheld_failures_total', 'Failures of promises that nobody waited for: each is a fault of the service');
  process.on('unhandledRejection', (cause) => {
    count.inc();
    logger.error({ err: cause, requests: requests.latest() }, 'a failure that nobody waited for');
  });
}
