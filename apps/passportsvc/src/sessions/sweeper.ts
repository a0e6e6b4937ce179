import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import { OidcStateRepository } from '../oauth/oidc-state.repository';
import { SigningKeys } from '../signing-keys/signing-keys.service';
import { AttemptCountsRepository } from './attempts/attempt-counts.repository';
import { RevocationsRepository } from './revocations.repository';
import { SignInFailuresRepository } from './sign-in-failures.repository';

const EVERY_MS = 30_000;

/** Removes what has expired, and takes over keys that another replica made. */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly state: OidcStateRepository,
    private readonly revocations: RevocationsRepository,
    private readonly failures: SignInFailuresRepository,
    private readonly attempts: AttemptCountsRepository,
    private readonly keys: SigningKeys,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.running = this.sweep().catch((error: unknown) => this.logger.warn({ err: error }, 'could not sweep what has expired'));
    }, EVERY_MS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  async sweep(): Promise<void> {
    await this.keys.sweep();
    await this.state.sweep();
    await this.revocations.sweep();
    await this.failures.sweep();
    await this.attempts.sweep();
  }
}
