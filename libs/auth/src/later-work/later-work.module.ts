import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { ServiceName } from '@twinyard/conventions';
import { DurableRequestsModule } from '@twinyard/jobs';
import { requestsController } from '../requests.controller';
import { EndedRequestsSweep } from './ended-requests-sweep';
import { LaterWork } from './later-work';
import { OutcomeReply } from './outcome-reply';

/** For services that answer 202, beside a `JobsModule`: the work itself, and `GET /<service>/api/v1/requests/{id}` about it. */
@Global()
@Module({})
export class LaterWorkModule {
  static forService(service: ServiceName, { BASE_URL }: { readonly BASE_URL: string }): DynamicModule {
    return {
      module: LaterWorkModule,
      imports: [DurableRequestsModule],
      controllers: [requestsController(service)],
      providers: [LaterWork, EndedRequestsSweep, { provide: OutcomeReply, useFactory: () => new OutcomeReply(service, BASE_URL) }],
      exports: [LaterWork, OutcomeReply],
    };
  }
}
