import type { JsonText, Tx } from '@twinyard/service-kit';

export type DurableStatus = 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'FAILED';

/** The final answer of a request: its HTTP status and its JSON body (or a `JsonText`), absent for 204. */
export interface DurableResponse {
  readonly status: number;
  readonly body?: unknown;
}

/** The same as it is kept. */
export interface KeptResponse extends DurableResponse {
  readonly body?: JsonText;
}

/** Whose request it is: only the same caller may ask about it. */
export interface DurableCaller {
  readonly type: string;
  readonly id: string;
}

/** How far work has got, in whatever it is counted (rows, documents). What a rolled back transaction has done counts while it runs. */
export interface DurableProgress {
  readonly done: number;
  /** Absent while nobody knows. */
  readonly total?: number;
}

/** Work that was accepted with 202 and is done later, perhaps by another process. */
export interface NewDurableRequest {
  /** Names the handler. */
  readonly kind: string;
  /** Whose work it is: tenants take turns. */
  readonly tenant: string;
  /** Of the request that was answered, for the log lines of its work. */
  readonly requestId?: string;
  readonly caller: DurableCaller;
  /** What the handler needs to act as the caller; opaque here, since grants are no business of this library. */
  readonly context: unknown;
  /** JSON, or a `JsonText`. */
  readonly payload: unknown;
  /** What is known before the work has begun. */
  readonly progress?: DurableProgress;
  /** Payload and answer are kept sealed; the service has to give a `RequestSeal`. */
  readonly confidential?: boolean;
  /**
   * The payload is JSON as it came, and nobody changes it any more: this process, when it is the one that works on it, takes it as it is. It is stored all the same,
   * for other processes and for later attempts.
   */
  readonly handedOver?: boolean;
}

/** As it is kept; how often it was begun, its job knows. */
export type KeptRequest = Omit<DurableRequest, 'attempt'>;

export interface DurableRequest extends Omit<NewDurableRequest, 'tenant' | 'requestId' | 'progress' | 'confidential' | 'handedOver'> {
  readonly id: string;
  readonly attempt: number;
}

export interface DurableState {
  readonly id: string;
  readonly caller: DurableCaller;
  readonly status: DurableStatus;
  readonly progress?: DurableProgress;
  readonly response?: KeptResponse;
}

/**
 * Ends the request inside the transaction of its work: both are committed or neither, so the work is done exactly once.
 * Throws when another worker has taken the request over; the transaction is then rolled back.
 */
export type FinishRequest = (tx: Tx, response: DurableResponse) => Promise<void>;

/**
 * Keeps the request from other workers until the transaction ends: for whatever a handler writes in transactions before the one that ends it. Late in them,
 * since nobody renews the lease meanwhile. Throws when another worker has taken the request over; the transaction is then rolled back.
 */
export type HoldRequest = (tx: Tx) => Promise<void>;

/** Tells how far the work is, as often as it likes: it is written now and then, and with the end. */
export type ReportProgress = (progress: DurableProgress) => void;

export type DurableHandler = (request: DurableRequest, finish: FinishRequest, report: ReportProgress, hold: HoldRequest) => Promise<void>;
