import { Inject, Injectable } from '@nestjs/common';
import { newUuid } from '@twinyard/conventions';
import type { Tx } from '@twinyard/service-kit';
import type { JobDefinition } from './job';
import { JobNotices } from './notices/job-notices';
import { JobStore, type NewJob } from './store/job-store';

export interface EnqueueOptions {
  /** Whose work it is: namespaces take turns. Work that belongs to none has the empty one. At most 128 characters, no blank. */
  readonly namespace: string;
  /** Not before. */
  readonly dueAt?: Date;
  /**
   * Of its kind and namespace there is one job at a time with this key: enqueued again it changes while it waits, with all its attempts before it, and runs once
   * more when it runs. It is due when the earlier of both was. At most 256 characters.
   */
  readonly key?: string;
  /** Of the request that the work follows from: log lines name it. One job that several requests have enqueued names the last. */
  readonly requestId?: string | undefined;
}

type Enqueued<P> = EnqueueOptions & { readonly payload: P };

const NAMESPACE = /^\S{0,128}$/;
const LONGEST_KEY = 256;
/** What is longer was made up elsewhere, and is cut: no work is to fail for it. */
const LONGEST_REQUEST_ID = 128;
/** Characters of JSON: what is larger is stored elsewhere, and the job told where. */
const LARGEST_PAYLOAD = 1024 ** 2;

/** The entrance for background work: written down in the transaction of the change that it follows from, so that one is never without the other. */
@Injectable()
export class Jobs {
  constructor(
    private readonly store: JobStore,
    @Inject(JobNotices) private readonly notices: Pick<JobNotices, 'enqueued'>,
  ) {}

  /** The id of the job. @throws Error for what is beyond the bounds, and for a payload that the schema refuses. */
  async enqueue<P>(tx: Tx, definition: JobDefinition<P>, payload: P, options: EnqueueOptions): Promise<string> {
    const [id] = await this.enqueueAll(tx, definition, [{ ...options, payload }]);
    return id as string;
  }

  /** Their ids. Of two with one key the later counts. @throws as `enqueue` */
  async enqueueAll<P>(tx: Tx, definition: JobDefinition<P>, given: readonly Enqueued<P>[]): Promise<string[]> {
    const jobs = given.map((one) => toJob(definition, one));
    if (jobs.length === 0) return [];
    await this.store.enqueue(tx, [...new Map(jobs.map((job) => [job.id, job])).values()]);
    this.notices.enqueued(definition.kind);
    return jobs.map(({ id }) => id);
  }

  /** Sees to it that there is a job of this key, as every start of a process may: one that waits or runs stays as it is, one that has died begins anew. @throws as `enqueue` */
  async ensure<P>(tx: Tx, definition: JobDefinition<P>, payload: P, options: EnqueueOptions & { readonly key: string }): Promise<void> {
    await this.store.enqueue(tx, [toJob(definition, { ...options, payload })], { ifMissing: true });
    this.notices.enqueued(definition.kind);
  }
}

function toJob<P>({ kind, schema }: JobDefinition<P>, { payload, namespace, dueAt, key, requestId }: Enqueued<P>): NewJob {
  if (!NAMESPACE.test(namespace)) throw new Error(`${kind}: ${JSON.stringify(namespace.slice(0, 140))} is no namespace for a job`);
  if (key !== undefined && key.length > LONGEST_KEY) throw new Error(`${kind}: a key has at most ${LONGEST_KEY} characters`);
  const json = JSON.stringify(schema.parse(payload));
  if (json.length > LARGEST_PAYLOAD) throw new Error(`${kind}: a payload has at most ${LARGEST_PAYLOAD} characters`);
  const id = key === undefined ? newUuid() : idOf(kind, namespace, key);
  return { id, kind, namespace, payload: json, ...(dueAt && { dueAt }), ...(requestId && { requestId: requestId.slice(0, LONGEST_REQUEST_ID) }) };
}

/** Neither a kind nor a namespace holds a blank. */
const idOf = (kind: string, namespace: string, key: string) => `${kind} ${namespace} ${key}`;
