/** What a notice is about: one kind of job, or no longer sure (whoever listened was away for a while). */
export type Noticed = string | 'all';

/** How workers hear of jobs that were committed, by whatever process. A notice may get lost, and may come for nothing. */
export abstract class JobNotices {
  abstract start(onNotice: (noticed: Noticed) => void): void;
  abstract stop(): Promise<void>;
  /** Jobs were enqueued here, and are about to be committed. */
  abstract enqueued(kind: string): void;
}
