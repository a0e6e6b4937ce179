import { createHash, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { newUuid, unavailable } from '@twinyard/conventions';
import type { Logger } from '../logging/logger';
import { LOGGER } from '../logging/logger-token';
import { joined, openBytes, sealBytes } from '../sealed-bytes';
import type { Tx } from '../tx';
import { AnswerStore } from './answer-store';

/** Contract 0.2. */
const KEPT_MS = 24 * 3_600_000;
const LEASE_MS = 10_000;
/** No request takes longer; what has not told of its end by then never will. */
const LONGEST_MS = 600_000;
/** An answer that is longer is not kept: the work would be done again. A document of MongoDB holds 16 MB. */
const MAX_BYTES = 12_000_000;
const TURN_MS = 20;
const TURNS_MS = 10_000;

export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Of what was asked, where this was known only when it had been read. */
  readonly contentDigest?: string;
}

/** A request that its sender has given a key, to be able to send it again. */
export interface RepeatableRequest {
  readonly caller: string;
  /** Method and path. */
  readonly route: string;
  readonly key: string;
  /** Everything else that was asked: the body above all. */
  readonly content: string;
}

/** Work that was begun and is to be told of when it has ended. */
export interface BegunRequest {
  keep(answer: KeptAnswer): Promise<void>;
  /** In the transaction of the work, before it has been answered: a repetition finds both or neither, whatever becomes of this process. See `AnswerStore.keepIn`. */
  keepIn(tx: Tx, answer: KeptAnswer): Promise<void>;
  /** Nothing came of it; a repetition does it. */
  release(): Promise<void>;
}

export type RepeatVerdict =
  | { readonly state: 'new'; readonly begun: BegunRequest }
  | { readonly state: 'running' }
  | { readonly state: 'other-content' }
  | { readonly state: 'answered'; readonly answer: KeptAnswer };

/**
 * Remembers what was answered to requests with a key, for a day. Answers may hold what is shown once (a client's secret), so they
 * are sealed under a key that follows from the sender's own, which is not kept.
 */
@Injectable()
export class KeptAnswers {
  constructor(
    private readonly store: AnswerStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Forgets what has been kept for its day at `now`, in ms. */
  sweep(now: number): Promise<void> {
    return this.store.prune(new Date(now - KEPT_MS));
  }

  async begin({ caller, route, key, content }: RepeatableRequest): Promise<RepeatVerdict> {
    const id = digest(joined('answer', caller, route, key));
    // With the key, which is not kept: a hash of a short body alone could be guessed.
    const fingerprint = digest(joined(key, content));
    const claim = await this.claim(id, fingerprint);
    if (claim.state === 'mine') return { state: 'new', begun: this.begun(id, claim.owner, sealingKey(key, id)) };
    if (claim.fingerprint !== fingerprint) return { state: 'other-content' };
    if (claim.state === 'running') return { state: 'running' };
    return { state: 'answered', answer: JSON.parse(openBytes(sealingKey(key, id), claim.sealed, id)) as KeptAnswer };
  }

  /** A turn among those who ask for the same, on whatever replica; to be released. */
  async turn(what: string): Promise<BegunRequest> {
    const id = digest(joined('turn', what));
    const until = Date.now() + TURNS_MS;
    for (;;) {
      const claim = await this.claim(id, '');
      if (claim.state === 'mine') return this.begun(id, claim.owner, undefined);
      if (Date.now() > until) throw unavailable('Others are changing this record');
      await delay(TURN_MS);
    }
  }

  private async claim(id: string, fingerprint: string) {
    const owner = newUuid();
    const claim = await this.store.claim({ id, owner, fingerprint, leaseMs: LEASE_MS, since: new Date(Date.now() - KEPT_MS) });
    return { ...claim, owner };
  }

  private begun(id: string, owner: string, key: KeyObject | undefined): BegunRequest {
    const renew = () => void this.store.renew(id, owner, LEASE_MS).catch((error: unknown) => this.logger.warn({ err: error }, 'a claim on a repeatable request could not be renewed'));
    const until = Date.now() + LONGEST_MS;
    const beat = setInterval(() => (Date.now() < until ? renew() : clearInterval(beat)), LEASE_MS / 3).unref();
    const end = async (step: () => Promise<void>) => {
      clearInterval(beat);
      // The work is done, whatever becomes of the memory of it.
      await step().catch((error: unknown) => this.logger.warn({ err: error }, 'the answer to a repeatable request could not be kept'));
    };
    const release = () => end(() => this.store.release(id, owner));
    let keptIn: number | undefined;
    const isKept = ({ body }: KeptAnswer) => key !== undefined && body.length <= MAX_BYTES;
    const sealed = (answer: KeptAnswer) => sealBytes(key as KeyObject, JSON.stringify(answer), id);
    return {
      release,
      keep: (answer) => {
        if (!isKept(answer)) return release();
        return end(async () => {
          if (answer.status !== keptIn) await this.store.keep(id, owner, sealed(answer));
        });
      },
      keepIn: async (tx, answer) => {
        if (!isKept(answer)) return;
        await this.store.keepIn(tx, id, owner, sealed(answer));
        keptIn = answer.status;
      },
    };
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');

const sealingKey = (key: string, id: string): KeyObject => createSecretKey(Buffer.from(hkdfSync('sha256', key, id, 'kept answer', 32)));
