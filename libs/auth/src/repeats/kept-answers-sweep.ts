import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Schedules } from '@twinyard/jobs';
import { KeptAnswers } from '@twinyard/service-kit';

const EVERY_MS = 3_600_000;

/** Forgets answers that have been kept for their day. */
@Injectable()
export class KeptAnswersSweep implements OnModuleInit {
  constructor(private readonly answers: KeptAnswers, private readonly schedules: Schedules) {}

  onModuleInit(): void {
    this.schedules.every('requests.answer-sweep', { everyMs: EVERY_MS }, () => this.answers.sweep(Date.now()));
  }
}
