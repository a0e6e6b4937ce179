import type { ServiceName } from '@twinyard/conventions';
import type { FastifyReply } from 'fastify';
import { requestLocation } from '../requests.controller';
import type { Outcome } from './later-work';

/** Gives an outcome its status and, for 202, its headers (contract 0.2). */
export class OutcomeReply {
  constructor(
    private readonly service: ServiceName,
    private readonly baseUrl: string,
  ) {}

  apply(reply: FastifyReply, outcome: Outcome): unknown {
    if (!('acceptedAs' in outcome)) {
      void reply.status(outcome.status);
      return outcome.body;
    }
    void reply.status(202).header('Location', requestLocation(this.baseUrl, this.service, outcome.acceptedAs)).header('Retry-After', '1');
    return undefined;
  }
}
