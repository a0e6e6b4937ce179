import type { RequestContext } from '@twinyard/auth';
import { newUuid, ServiceError } from '@twinyard/conventions';
import type { Lock, Locker } from '@tus/server';
import type { LineSilence } from '../uploads/line-silence';
import type { UploadTransactions } from '../uploads/upload-transactions';
import type { ResumableUploadsRepository, UploadLease } from './resumable-uploads.repository';
import type { UploadWriters } from './upload-writers';

const LEASE_MS = 15_000;

/** What a lock stands on. */
export interface LockParts {
  readonly uploads: ResumableUploadsRepository;
  readonly writers: UploadWriters;
  readonly transactions: UploadTransactions;
}

/** Who is to write to which upload. */
export interface UploadTurn {
  readonly ctx: RequestContext;
  readonly uploadId: string;
  readonly silence: LineSilence;
  /** Aborted when the turn is over before its time. */
  readonly end: AbortController;
}

const beingWritten = () => new ServiceError('locked', 'Somebody else writes to this upload', { retryAfter: 1 });

/**
 * Who writes to an upload, among all replicas: a lease in the database, renewed while it is held. The second writer is refused (423);
 * what a process that died has held is free when its lease has run out, and a line that is dead gives way to its own client.
 */
export class UploadLock implements Locker, Lock {
  readonly lease: UploadLease = { owner: newUuid(), leaseMs: LEASE_MS };
  /** Why it could not be had. */
  refusal: ServiceError | undefined;
  private heartbeat: NodeJS.Timeout | undefined;
  private isRenewing = false;
  private leave = (): void => undefined;

  constructor(private readonly parts: LockParts, private readonly turn: UploadTurn) {}

  newLock(): Lock {
    return this;
  }

  async lock(): Promise<void> {
    const { uploadId, ctx: { callerId }, silence, end } = this.turn;
    const { writers } = this.parts;
    const isHeld = (await this.take()) || ((await writers.displace(uploadId, callerId)) && (await this.take()));
    if (!isHeld) throw (this.refusal = beingWritten());
    this.leave = writers.enter(uploadId, { callerId, silence, giveWay: () => end.abort(beingWritten()) });
    this.heartbeat = setInterval(() => void this.renew(), LEASE_MS / 3);
    this.heartbeat.unref();
  }

  async unlock(): Promise<void> {
    clearInterval(this.heartbeat);
    const { uploads, transactions } = this.parts;
    const { ctx, uploadId } = this.turn;
    await transactions.ask(ctx, () => uploads.release(uploadId, this.lease.owner)).finally(this.leave);
  }

  private take(): Promise<boolean> {
    const { uploads, transactions } = this.parts;
    const { ctx, uploadId } = this.turn;
    return transactions.ask(ctx, () => uploads.lease(uploadId, this.lease));
  }

  /**
   * A database that is away for a moment costs no lease: it is asked again before it has run out. That waits for no place, behind whom it would come
   * too late; so that it holds no more than one connection, it is asked once at a time.
   */
  private async renew(): Promise<void> {
    if (this.isRenewing) return;
    this.isRenewing = true;
    const isHeld = await this.parts.uploads.renew(this.turn.uploadId, this.lease).catch(() => true);
    this.isRenewing = false;
    if (!isHeld) this.turn.end.abort(beingWritten());
  }
}

/** Asking how far an upload has come waits for nobody. */
export const NO_LOCK: Locker = { newLock: () => ({ lock: () => Promise.resolve(), unlock: () => Promise.resolve() }) };
