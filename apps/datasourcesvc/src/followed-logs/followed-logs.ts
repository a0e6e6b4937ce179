import type { Readable } from 'node:stream';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { GrantSource, type RequestContext, RequestPlaces, resumeCaller, toStoredCaller } from '@twinyard/auth';
import { invalidField, outcomeOf, ServiceError, unavailable } from '@twinyard/conventions';
import { FairShare, type Leave, LOGGER, type Logger, MetricsRegistry } from '@twinyard/service-kit';
import { orchestratorTarget } from '../orchestrators/orchestrator.entity';
import type { Run } from '../runs/run.entity';
import { type LogHead, RunLogsRepository } from '../runs/run-logs.repository';
import { isFinal } from '../runs/run-state';
import { FollowedLog, type LogPosition } from './followed-log';

/** What is written of a run is told within this. */
const LOOK_MS = 500;
const COMMENT_MS = 15_000;

const tooMany = () => new ServiceError('too_many_requests', 'Too many logs are followed, of this organization or of all', { retryAfter: 5 });

/** As settings have it. */
export class FollowTerms {
  constructor(
    /** Logs that this process has followed at once. */
    readonly places: number,
    /** Of them, what one organization holds at most. */
    readonly share: number,
    readonly commentMs = COMMENT_MS,
  ) {}
}

/** Logs that are told while they are written. It looks for all of them together, and reads for one after the other, some records each. */
@Injectable()
export class FollowedLogs implements BeforeApplicationShutdown {
  private readonly followed = new Set<FollowedLog>();
  private readonly places: FairShare;
  private timer: NodeJS.Timeout | undefined;
  private isLooking = false;
  private isStopped = false;

  constructor(
    private readonly logs: RunLogsRepository,
    private readonly grants: GrantSource,
    private readonly ofRequests: RequestPlaces,
    private readonly terms: FollowTerms,
    @Inject(LOGGER) private readonly logger: Logger,
    registry: MetricsRegistry,
  ) {
    registry.gauge('run_logs_followed', 'Logs of runs that are told here while they are written', [], (gauge) => gauge.set(this.followed.size));
    this.places = new FairShare({ places: terms.places, share: terms.share, waiting: { requests: 0, bytes: 0 }, waitMs: 0 });
  }

  /** Readers come again, elsewhere, with the position that they have. */
  beforeApplicationShutdown(): void {
    this.isStopped = true;
    for (const log of this.followed) log.end();
  }

  /**
   * The log of a run that the caller was found to see, behind so many records; `undefined` where it has ended with them. Meanwhile its request holds no
   * place of the service. @throws ServiceError 429 when too many are followed, 400 for a position that the log does not have
   */
  async open(ctx: RequestContext, { id: runId, namespaces }: Run, told: number): Promise<Readable | undefined> {
    const leave = this.places.enterNow(ctx.access.tenantOf(namespaces) ?? '', tooMany);
    try {
      const position = await this.positionOf(runId, told);
      const [head] = await this.logs.heads([runId]);
      if (this.isStopped) throw unavailable('The service is about to stop');
      if (head !== undefined && (!isFinal(head.state) || position.place < head.last)) return this.follow(ctx, runId, position, leave);
    } catch (error) {
      leave();
      throw error;
    }
    leave();
    return undefined;
  }

  private async positionOf(runId: string, told: number): Promise<LogPosition> {
    const place = told === 0 ? 0 : await this.logs.placeOf(runId, told);
    if (place === undefined) throw invalidField('Last-Event-ID', 'is beyond the end of the log');
    return { told, place };
  }

  private follow(ctx: RequestContext, runId: string, position: LogPosition, leave: Leave): Readable {
    const log = new FollowedLog(runId, toStoredCaller(ctx), position, () => this.lookIn(0));
    this.followed.add(log);
    log.events.once('close', () => {
      this.followed.delete(log);
      leave();
    });
    this.ofRequests.giveBack(ctx);
    this.lookIn(0);
    return log.events;
  }

  private lookIn(ms: number): void {
    if (this.isLooking || this.isStopped) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.look(), ms).unref();
  }

  private async look(): Promise<void> {
    this.isLooking = true;
    let isMore = false;
    // Who comes while it is asked is told with the next look.
    const logs = [...this.followed];
    try {
      const heads = new Map((await this.logs.heads([...new Set(logs.map(({ runId }) => runId))])).map((head) => [head.runId, head]));
      for (const log of logs) isMore = (await this.goOn(log, heads.get(log.runId))) || isMore;
    } catch (error) {
      isMore = false;
      this.logger.warn({ err: error }, 'logs that are followed cannot be read right now');
    } finally {
      this.isLooking = false;
      if (this.followed.size > 0) this.lookIn(isMore ? 0 : LOOK_MS);
    }
  }

  /** Whether there is more that its reader would take now. */
  private async goOn(log: FollowedLog, head: LogHead | undefined): Promise<boolean> {
    if (!log.isOpen) return false;
    if (head === undefined || !(await this.mayRead(log, head))) {
      log.end();
      return false;
    }
    if (log.isBehind(head) && log.isReading) log.tell(await this.logs.between(log.lastPlace, head), head);
    if (isFinal(head.state) && !log.isBehind(head)) log.end();
    log.commentAfter(this.terms.commentMs);
    return log.hasMore(head);
  }

  /** With the grants of now. @throws what keeps anybody from saying so: then nothing is told until somebody can */
  private async mayRead({ caller }: FollowedLog, { namespaces, orchestratorId }: LogHead): Promise<boolean> {
    const ctx = await outcomeOf(resumeCaller(this.grants, caller));
    return !(ctx instanceof ServiceError) && ctx.access.holds('READ', orchestratorTarget(namespaces, orchestratorId));
  }
}
