import { Inject, Injectable } from '@nestjs/common';
import { requestLocation } from '@twinyard/auth';
import type { FastifyReply } from 'fastify';
import { ITEM_SETTINGS, type ItemSettings } from '../config';
import type { Outcome } from './later-work';

/** Gives an outcome its status and, for 202, its headers (contract 0.2). */
@Injectable()
export class OutcomeReply {
  constructor(@Inject(ITEM_SETTINGS) private readonly settings: ItemSettings) {}

  apply(reply: FastifyReply, outcome: Outcome): unknown {
    if (!('acceptedAs' in outcome)) {
      void reply.status(outcome.status);
      return outcome.body;
    }
    void reply.status(202).header('Location', requestLocation(this.settings.BASE_URL, 'itemsvc', outcome.acceptedAs)).header('Retry-After', '1');
    return undefined;
  }
}
