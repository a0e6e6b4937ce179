import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DurableRequests, Schedules } from '@twinyard/jobs';

const EVERY_MS = 3_600_000;
const LEFT_OVER_EVERY_MS = 60_000;

/** Forgets requests that were answered with 202 and have ended a day ago; and takes over those of replicas of the release before. */
@Injectable()
export class EndedRequestsSweep implements OnModuleInit {
  constructor(private readonly requests: DurableRequests, private readonly schedules: Schedules) {}

  onModuleInit(): void {
    this.schedules.every('requests.ended-sweep', { everyMs: EVERY_MS }, () => this.requests.sweep(Date.now()));
    this.schedules.every('requests.left-over', { everyMs: LEFT_OVER_EVERY_MS, atStart: true }, (signal) => this.requests.adopt(signal));
  }
}
