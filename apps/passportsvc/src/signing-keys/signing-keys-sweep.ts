import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger, PeriodicSweep } from '@twinyard/service-kit';
import { SigningKeys } from './signing-keys.service';

const EVERY_MS = 30_000;

/** Removes keys that nothing is signed by any more. In each process, since each takes over here what another replica or an operator has changed. */
@Injectable()
export class SigningKeysSweep extends PeriodicSweep {
  constructor(
    private readonly keys: SigningKeys,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ everyMs: EVERY_MS, complaint: 'signing keys cannot be looked through right now' }, logger);
  }

  override sweep(now: number): Promise<void> {
    return this.keys.sweep(new Date(now));
  }
}
