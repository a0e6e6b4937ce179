import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** How often is looked whether the event loop is late. Each look wakes the process, which does nothing else most of the time; the default is a hundred a second. */
const LOOP_LOOK_MS = 250;

/** The Prometheus metrics of one service (contract 0.6). */
@Injectable()
export class MetricsRegistry {
  readonly registry = new Registry();
  readonly requestSeconds = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of HTTP requests by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LOOP_LOOK_MS });
  }

  counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  histogram(name: string, help: string, labelNames: string[], buckets: number[]): Histogram {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }

  /** A value that is asked for when somebody looks: `collect` sets it on the gauge. */
  gauge(name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => Promise<void> | void): Gauge {
    return new Gauge({
      name, help, labelNames, registers: [this.registry],
      async collect() {
        await collect(this);
      },
    });
  }
}
