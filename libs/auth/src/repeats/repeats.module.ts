import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { KeptAnswersModule } from '@twinyard/service-kit';
import { PreconditionsGuard } from './preconditions.guard';
import { RepeatedRequestsGuard } from './repeated-requests.guard';
import { UnreadBodies } from './unread-bodies';

/** `Idempotency-Key` and `If-Match` on every write of a service whose caller has signed in. To be imported behind `AuthModule`: guards are asked in that order. */
@Module({
  imports: [KeptAnswersModule],
  providers: [
    { provide: APP_GUARD, useClass: RepeatedRequestsGuard },
    { provide: APP_GUARD, useClass: PreconditionsGuard },
  ],
})
export class RepeatsModule {
  /** For a service that leaves some bodies on the line. */
  static reading(bodies: Type<UnreadBodies>): DynamicModule {
    return { module: RepeatsModule, providers: [{ provide: UnreadBodies, useClass: bodies }] };
  }
}
