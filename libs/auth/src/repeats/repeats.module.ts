import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { KeptAnswersModule } from '@twinyard/service-kit';
import { PreconditionsInterceptor } from './preconditions.interceptor';
import { RepeatedRequestsInterceptor } from './repeated-requests.interceptor';

/** `Idempotency-Key` and `If-Match` on every write of a service whose caller has signed in. */
@Module({
  imports: [KeptAnswersModule],
  providers: [
    { provide: APP_INTERCEPTOR, useClass: RepeatedRequestsInterceptor },
    { provide: APP_INTERCEPTOR, useClass: PreconditionsInterceptor },
  ],
})
export class RepeatsModule {}
