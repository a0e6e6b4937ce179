import { setTimeout as delay } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import { EventBus } from '../bus/event-bus';
import { EVENTS_OPTIONS, type EventsOptions } from '../events-options';
import { Loop } from '../loop';
import { Outbox } from '../outbox/outbox';
import { Relay } from '../outbox/relay';
import { GroupConsumer } from './group-consumer';

/** How long a service waits at its start: a quarter of the time in which Kubernetes wants it to live. */
const WAIT_MS = 30_000;

/** What runs beside the requests. */
@Injectable()
export class RunningParts {
  constructor(readonly outbox: Outbox, readonly relay: Relay, readonly consumer: GroupConsumer) {}
}

/** Starts what runs when the application is initialised (its databases are migrated then), and stops it before they close. */
@Injectable()
export class EventsRuntime implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly connecting: Loop;
  private tried: () => void = () => undefined;
  private readonly firstTry = new Promise<void>((resolve) => {
    this.tried = resolve;
  });

  constructor(
    @Inject(EVENTS_OPTIONS) private readonly options: EventsOptions,
    private readonly bus: EventBus,
    private readonly running: RunningParts,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.connecting = new Loop({
      step: () => this.connect(),
      idleMs: 0,
      onError: (error, retryMs) => logger.warn({ err: error, retryMs }, 'the event log cannot be reached, trying again'),
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    const { relay, outbox } = this.running;
    // Usually done at once. An event log that is lost, or takes its time, must not keep a service from starting, only from being ready.
    this.connecting.start();
    await Promise.race([this.firstTry, delay(WAIT_MS, undefined, { ref: false })]);
    if (this.options.autostart === false) return;
    outbox.onAppend(() => relay.nudge());
    relay.start();
  }

  /** What is appended from now on, by requests that are still under way, is published at the next start or by another replica. */
  async beforeApplicationShutdown(): Promise<void> {
    const { consumer, relay } = this.running;
    await this.connecting.stop();
    await Promise.all([consumer.stop(), relay.stop()]);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.bus.close();
  }

  /** Tried until it succeeds, once. */
  private async connect(): Promise<number> {
    try {
      await this.running.consumer.connect();
      void this.connecting.stop();
      return 0;
    } finally {
      this.tried();
    }
  }
}
