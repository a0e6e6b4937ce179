import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Schedules } from '@twinyard/jobs';
import { OidcStateRepository } from '../oauth/oidc-state.repository';
import { AttemptCountsRepository } from './attempts/attempt-counts.repository';
import { RevocationsRepository } from './revocations.repository';
import { SignInFailuresRepository } from './sign-in-failures.repository';

export const EXPIRY_SWEEP = 'passportsvc.expiry-sweep';
const EVERY_MS = 30_000;

/** Removes what has expired; one of all replicas does. */
@Injectable()
export class ExpirySweep implements OnModuleInit {
  constructor(
    private readonly state: OidcStateRepository,
    private readonly revocations: RevocationsRepository,
    private readonly failures: SignInFailuresRepository,
    private readonly attempts: AttemptCountsRepository,
    private readonly schedules: Schedules,
  ) {}

  onModuleInit(): void {
    this.schedules.every(EXPIRY_SWEEP, { everyMs: EVERY_MS }, () => this.sweep());
  }

  async sweep(): Promise<void> {
    await this.state.sweep();
    await this.revocations.sweep();
    await this.failures.sweep();
    await this.attempts.sweep();
  }
}
