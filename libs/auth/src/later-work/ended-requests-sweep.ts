import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Schedules } from '@twinyard/jobs';
import { DurableRequests } from '@twinyard/service-kit';

const EVERY_MS = 3_600_000;

/** Forgets requests that were answered with 202 and have ended a day ago. */
@Injectable()
export class EndedRequestsSweep implements OnModuleInit {
  constructor(private readonly requests: DurableRequests, private readonly schedules: Schedules) {}

  onModuleInit(): void {
    this.schedules.every('requests.ended-sweep', { everyMs: EVERY_MS }, () => this.requests.sweep(Date.now()));
  }
}
