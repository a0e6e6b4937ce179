import { Injectable } from '@nestjs/common';
import { newUuid } from '@twinyard/conventions';
import { MAX_AGGREGATES } from '@twinyard/events';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { type Page, RebuildSources } from '../rebuild/rebuild-sources';
import { Backlog } from './backlog';
import { Corrections } from './corrections';
import { ReconciliationReport } from './reconciliation-report';
import { ReconciliationRepository } from './reconciliation.repository';
import { FIRST_PLACE, type Place, placeAfter, type ReconciliationState, type Round } from './reconciliation-state';

/** What a round costs the other services: a page of 200 aggregates a second. */
const PAUSE_MS = 1_000;
/** An event that is under way has arrived by then. */
const SECOND_LOOK_MS = 5_000;
/** How often a second look is put off while events wait to be counted; then it is left for the next round. */
const MOST_WAITS = 12;
const HOUR_MS = 3_600_000;

/** Services start together, and some take longer. */
const START_MS = 60_000;

export class ReconciliationOptions {
  constructor(
    /** From the end of a round to the next. 0: there is none. */
    readonly hours: number,
    /** Nothing is asked for so long after a start. */
    readonly startMs = START_MS,
  ) {}
}

/** What was done, and when to go on. */
export interface Step {
  readonly state: ReconciliationState;
  readonly delayMs: number;
}

export interface StepTerms {
  readonly now?: Date;
  /** Tells it to stop. */
  readonly signal?: AbortSignal;
}

/** What of a round it looks with. */
@Injectable()
export class ReconciliationParts {
  constructor(
    readonly repository: ReconciliationRepository,
    readonly corrections: Corrections,
    readonly backlog: Backlog,
    readonly unitOfWork: TypeOrmUnitOfWork,
  ) {}
}

/**
 * Compares what is measured with what the other services have, a page at a time, and corrects what a lost event has left wrong. Its
 * state is kept after each page, so it goes on where another process has left it.
 */
@Injectable()
export class Reconciliation {
  constructor(
    private readonly sources: RebuildSources,
    private readonly parts: ReconciliationParts,
    private readonly options: ReconciliationOptions,
    private readonly report: ReconciliationReport,
  ) {}

  get isOn(): boolean {
    return this.options.hours > 0;
  }

  get startMs(): number {
    return this.options.startMs;
  }

  /** @throws SourceAway */
  async step(state: ReconciliationState, { now = new Date(), signal }: StepTerms = {}): Promise<Step> {
    const { round, endedAt } = state;
    if (round?.suspects) return this.lookAgain(round, round.suspects, now, signal);
    const waitMs = round || endedAt === undefined ? 0 : Date.parse(endedAt) + this.options.hours * HOUR_MS - now.getTime();
    // The setting may be another by then.
    if (waitMs > 0) return { state, delayMs: Math.min(waitMs, HOUR_MS) };
    return this.compare(round ?? newRound(), signal);
  }

  /** In the place of a step that fails each time: the round goes on behind what it was about. */
  async passOver({ round = newRound() }: ReconciliationState): Promise<Step> {
    const { suspects, ...rest } = round;
    const after = suspects ? suspects.after : placeAfter(rest.place, nextOf(await this.ownersHere(rest.place.topic, rest.place.after)));
    this.report.passedOver(rest.place);
    return this.goOn(rest, after);
  }

  private async compare(before: Round, signal?: AbortSignal): Promise<Step> {
    const { aggregates, next } = await this.page(before.place, signal);
    const list = await this.parts.corrections.find(aggregates);
    this.report.compared(aggregates.length);
    const round = { ...before, checked: before.checked + aggregates.length };
    const after = placeAfter(round.place, next);
    if (list.length === 0) return this.goOn(round, after);
    return { state: { round: { ...round, suspects: { topic: round.place.topic, list, ...(after && { after }) } } }, delayMs: SECOND_LOOK_MS };
  }

  private async lookAgain({ suspects: _before, ...round }: Round, suspects: NonNullable<Round['suspects']>, now: Date, signal?: AbortSignal): Promise<Step> {
    const { topic, list, after, waits = 0 } = suspects;
    const aggregates = await this.sources.read(topic, list.map(({ key }) => key), signal);
    // Asked after they were: what they knew of was told before. Events that wait are not lost.
    if (!(await this.parts.backlog.isEmpty(topic))) {
      return waits < MOST_WAITS ? { state: { round: { ...round, suspects: { ...suspects, waits: waits + 1 } } }, delayMs: SECOND_LOOK_MS } : this.goOn(round, after);
    }
    const corrections = await this.parts.corrections.correct(round.id, list, aggregates, now);
    this.report.putRight(topic, corrections);
    return this.goOn({ ...round, corrected: round.corrected + corrections.length }, after);
  }

  private goOn(round: Round, place: Place | undefined): Step {
    if (place) return { state: { round: { ...round, place } }, delayMs: PAUSE_MS };
    this.report.ended(round);
    return { state: { endedAt: new Date().toISOString() }, delayMs: Math.min(this.options.hours, 1) * HOUR_MS };
  }

  private async page({ topic, side, after }: Place, signal?: AbortSignal): Promise<Pick<Page, 'aggregates' | 'next'>> {
    if (side === 'there') return this.sources.next(topic, after, signal);
    const owners = await this.ownersHere(topic, after);
    const next = nextOf(owners);
    return { aggregates: owners.length === 0 ? [] : await this.sources.read(topic, owners, signal), ...(next !== undefined && { next }) };
  }

  private ownersHere(topic: Place['topic'], after: string | undefined): Promise<string[]> {
    return this.parts.unitOfWork.run((tx) => this.parts.repository.ownersAfter(tx, topic, { after, limit: MAX_AGGREGATES }));
  }
}

const newRound = (): Round => ({ id: newUuid(), place: FIRST_PLACE, checked: 0, corrected: 0 });

const nextOf = (owners: readonly string[]): string | undefined => (owners.length === MAX_AGGREGATES ? owners.at(-1) : undefined);
