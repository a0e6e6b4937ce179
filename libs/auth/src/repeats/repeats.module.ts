import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { KeptAnswersModule } from '@twinyard/service-kit';
import { KeptAnswersSweep } from './kept-answers-sweep';
import { PreconditionsGuard } from './preconditions.guard';
import { RepeatedRequestsGuard } from './repeated-requests.guard';
import { UnreadBodies } from './unread-bodies';

/** `Idempotency-Key` and `If-Match` on every write of a service whose caller has signed in. To be imported behind `AuthModule`: guards are asked in that order. Beside a `JobsModule`. */
@Module({
  imports: [KeptAnswersModule],
  providers: [
    KeptAnswersSweep,
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
