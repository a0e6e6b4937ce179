import type { ServiceName } from '@twinyard/conventions';
import type { FastifyReply } from 'fastify';
import type { OwnAnswer } from '../repeats/kept-with';
import { requestLocation } from '../requests.controller';
import type { Outcome } from './later-work';

/** Gives an outcome its status and, for 202, its headers (contract 0.2). */
export class OutcomeReply {
  constructor(
    private readonly service: ServiceName,
    private readonly baseUrl: string,
  ) {}

  apply(reply: FastifyReply, outcome: Outcome): unknown {
    const { status, headers = {}, body } = this.answerOf(outcome);
    void reply.status(status).headers(headers);
    return body;
  }

  answerOf(outcome: Outcome): OwnAnswer {
    if (!('acceptedAs' in outcome)) return outcome;
    return { status: 202, headers: { location: requestLocation(this.baseUrl, this.service, outcome.acceptedAs), 'retry-after': '1' } };
  }
}
