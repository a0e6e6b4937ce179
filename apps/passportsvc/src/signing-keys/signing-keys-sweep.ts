import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import { SigningKeys } from './signing-keys.service';

const EVERY_MS = 30_000;

/** Removes keys that nothing is signed by any more. In each process, since each takes over here what another replica or an operator has changed. */
@Injectable()
export class SigningKeysSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly keys: SigningKeys,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.sweepNext(), EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }

  /** Behind the one that goes on. */
  private sweepNext(): void {
    this.sweeping = this.sweeping
      .then(() => this.keys.sweep(new Date()))
      .catch((error: unknown) => this.logger.warn({ err: error }, 'signing keys cannot be looked through right now'));
  }
}
