/**
 * What scripts of this platform are given (docs/scripts.md). A script is an ES module; it exports functions, and a step calls one of them, or its default export:
 *
 *     export default (async (input, { platform }, ctx) => { … }) satisfies Twinyard.Script;
 *
 * in JavaScript with `// @ts-check`:
 *
 *     export default /** @type {Twinyard.Script} *\/ (async (input, { platform }, ctx) => { … });
 *
 * Compile with `"lib": ["ES2023"]`: there are no timers, files, sockets, modules of Node or objects of a browser.
 */
declare namespace Twinyard {
  /** What it returns is JSON of at most 1 MB: the result of the step, and `inparams` of the next. */
  type Script<Params = Record<string, any>, Inparams = any> = (input: Input<Params, Inparams>, libraries: Libraries, ctx: Context) => unknown;

  interface Input<Params = Record<string, any>, Inparams = any> {
    readonly orchRunId: string;
    /** The parameters of the step, overridden by those of the run. */
    readonly actualParams: Params;
    /** What the step before returned; `null` for the first. */
    readonly inparams: Inparams;
  }

  interface Context {
    readonly runId: string;
    /** Of the step in this run: the same when it is begun again. With a name of your own it makes an `idempotency-key`. */
    readonly stepId: string;
    /** In which the run acts. */
    readonly namespaces: readonly string[];
    readonly principalInfo: PrincipalInfo;
    /** When the run began: the same in all its steps and attempts, so that what is reckoned from it comes out the same again. `new Date()` is the clock. */
    readonly now: Date;
    readonly signal: Signal;
    /** A record of the run's log; `data` is written behind the message as JSON. All records together have at most 1 MB. */
    log(level: 'debug' | 'info' | 'warn' | 'error', message: string, data?: unknown): void;
    /** What the run shows as `_progress`. */
    progress(done: number, total?: number): void;
  }

  /** Whose rights the run has. */
  interface PrincipalInfo {
    readonly type: 'user' | 'client';
    readonly id: string;
    readonly appId?: string;
    /** Of the permission profile whose rights it has instead. */
    readonly profileId?: string;
    readonly scopes: readonly string[];
  }

  /** Tells that the run is cancelled or has had its time: half a second later it is ended. Calls are refused from then on. */
  interface Signal {
    readonly aborted: boolean;
    readonly reason: Error | undefined;
    throwIfAborted(): void;
    addEventListener(type: 'abort', listener: (event: { readonly type: 'abort' }) => void): void;
    removeEventListener(type: 'abort', listener: (event: { readonly type: 'abort' }) => void): void;
  }

  interface Libraries {
    readonly platform: Platform;
    readonly dates: Dates;
    readonly csv: Csv;
    readonly xlsx: Xlsx;
  }

  /** Thrown by calls that are refused. */
  interface CallError extends Error {
    /** Of HTTP; missing where the call did not leave the sandbox. */
    readonly status?: number;
    /** `not_found`, `forbidden`, `too_large`, `too_many_calls`, `cancelled` … */
    readonly code?: string;
  }

  /** Read as it is gone through, once; what it holds open is closed at its end, by `break` and by `return()`. */
  interface List<T> extends AsyncIterableIterator<T> {
    next(): Promise<IteratorResult<T, undefined>>;
    return(): Promise<IteratorResult<T, undefined>>;
    [Symbol.asyncIterator](): List<T>;
    /** All that are left. */
    toArray(): Promise<T[]>;
  }

  /** 500 without; fewer are asked for where a page weighs more than 10 MB. */
  type PageOptions = { readonly pageSize?: number };

  interface ListOptions extends PageOptions {
    /** Dotted path to 1 or -1. */
    readonly sort?: Record<string, 1 | -1>;
    /** Dotted path to 1 (only these) or 0 (without these). */
    readonly project?: Record<string, 0 | 1>;
  }

  /** The tip without it. */
  type VersionOption = { readonly versionId?: string | undefined };

  /** With MongoDB's operators, as far as the platform takes them. */
  type Query = Record<string, unknown>;

  interface RequestOptions {
    /** An array is a repeated key, an object is sent as JSON. Without `nsfilter` the request is about the namespaces of the run. */
    readonly query?: Record<string, unknown> | undefined;
    /** `accept`, `content-type`, `idempotency-key`, `if-match`, `if-none-match`, `prefer`. */
    readonly headers?: Record<string, string> | undefined;
    /** A text or bytes are sent as they are, with `content-type`; anything else as JSON. */
    readonly body?: unknown;
  }

  interface Answer<Body = any> {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** JSON as a value, else a text, else bytes (`Uint8Array`); `undefined` where there is none. At most 10 MB. */
    readonly body: Body;
  }

  /** This platform's API with the rights of the run: never more. Each call is counted in the run's `_usage`; eight may be under way at once. */
  interface Platform {
    /** Any operation but those of OAuth and SCIM. 202 is waited for to its end, 429 and outages are tried again. @throws CallError */
    request<Body = any>(method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: `/${string}`, options?: RequestOptions): Promise<Answer<Body>>;
    readonly items: Items;
    readonly readings: Readings;
    readonly files: Files;
    readonly runs: Runs;
    readonly workspaces: Workspaces;
    /** Tells it to whoever triggers say, and gives its `_eventId`. The same `eventId` (a UUID) again tells nobody twice. `namespace`: where the run has several. */
    notify(name: string, options?: { readonly message?: string; readonly data?: Record<string, unknown>; readonly eventId?: string; readonly namespace?: string }): Promise<string>;
    /** Whose token the run has. */
    principal(): Promise<{ readonly _type: 'user' | 'client'; readonly _userid?: string; readonly _clientid: string; readonly _appid?: string; readonly _scopes: readonly string[] }>;
  }

  interface Item {
    readonly _id: string;
    readonly _userItemId: string;
    readonly _name: string;
    readonly _shortName: string;
    readonly _description?: string;
    readonly _userType: string;
    readonly _itemClass: string;
    readonly _namespaces: readonly string[];
    readonly _tipId: string;
    readonly _tipVersion: number;
    /** The tip alone, unless all are asked for. */
    readonly _versions: readonly Version[];
    readonly [field: string]: any;
  }

  type Version = { readonly _id: string; readonly _version: number; readonly _userAttributes?: any; readonly _userData?: any; readonly [field: string]: any };

  interface ItemDraft {
    readonly _name: string;
    /** At most 22 characters. */
    readonly _shortName: string;
    readonly _description?: string;
    readonly _userType: string;
    readonly _itemClass: 'NamedUserCollection' | 'NamedFileCollection' | 'NamedTelemetryCollection' | 'NamedCompositeItem' | 'UserConfig' | 'Script';
    /** Those of the run without it. */
    readonly _namespaces?: readonly string[];
    readonly _version?: { readonly _userAttributes?: any; readonly _userData?: any };
    readonly [field: string]: unknown;
  }

  /** Named items; `id` is an `_id` or a `_userItemId`. */
  interface Items {
    find(query?: Query, options?: ListOptions): List<Item>;
    findOne(query?: Query, options?: ListOptions): Promise<Item | undefined>;
    create(draft: ItemDraft): Promise<Item>;
    create(drafts: readonly ItemDraft[]): Promise<Item[]>;
    /** What is not named stays as it is. */
    update(id: string, changes: { readonly _name?: string; readonly _description?: string; readonly _userType?: string; readonly _namespaces?: readonly string[] }): Promise<void>;
    remove(id: string): Promise<void>;
    related<Row extends object = Record<string, any>>(id: string, version?: VersionOption): RelatedItems<Row & { readonly _id: string }>;
  }

  /** `_relatedUserItemId` or `_relatedUserItemDbId` names the other collection. */
  interface Relation {
    readonly _relatedFromId: string;
    readonly _relatedToIds: readonly string[];
    readonly _relatedUserItemId?: string;
    readonly _relatedUserItemDbId?: string;
    readonly _relatedUserItemVersionId?: string;
  }

  /** The rows of one collection. */
  interface RelatedItems<Row extends { readonly _id: string } = Record<string, any> & { readonly _id: string }> {
    list(query?: Query, options?: ListOptions): List<Row>;
    create(row: Omit<Row, '_id'> & { readonly _id?: string }): Promise<Row>;
    /** All or none. */
    create(rows: readonly (Omit<Row, '_id'> & { readonly _id?: string })[]): Promise<Row[]>;
    /** Any number, a thousand at a time, each thousand all or none. Rows without an `_id` get one; gives those of all. */
    bulk(rows: readonly (Omit<Row, '_id'> & { readonly _id?: string })[]): Promise<string[]>;
    /** Replaces rows by their `_id`; any number, a thousand at a time. */
    update(rows: Row | readonly Row[]): Promise<void>;
    /** Those with these ids, or all that match. */
    remove(which: string | readonly string[] | Query): Promise<void>;
    /** Any number, a thousand at a time; a pair that is related already stays as it is. */
    relate(relations: Relation | readonly Relation[]): Promise<void>;
    /** `$findWithRelated` from this collection: the page of its rows, each with what was asked for under `as`; `undefined` where the collection is not there. */
    search(what?: Search): Promise<{ readonly _list: readonly any[]; readonly _total: number; readonly _offset: number; readonly _pageSize: number } | undefined>;
  }

  interface Search {
    readonly parent?: { readonly query?: Query; readonly options?: Record<string, unknown>; readonly collectionProject?: Record<string, 0 | 1> };
    readonly related?: readonly Record<string, unknown>[];
    readonly relatedFilter?: Record<string, unknown>;
    readonly relatedDistinctFields?: readonly Record<string, unknown>[];
  }

  type Reading = { readonly _ts: string; readonly _tsMetadata: { readonly _telItemId: string; readonly _sourceId: string }; readonly [field: string]: any };
  type ReadingDraft = { readonly _ts: string | Date; readonly _tsMetadata: { readonly _telItemId: string; readonly _sourceId?: string }; readonly [field: string]: unknown };

  /** Of one telemetry collection, by its `_id` or `_userItemId`. */
  interface Readings {
    list(id: string, query?: Query, options?: ListOptions & VersionOption): List<Reading>;
    /** Any number, a thousand at a time. The same item and instant again replaces, unless `onConflict` says otherwise. */
    write(id: string, readings: ReadingDraft | readonly ReadingDraft[], options?: VersionOption & { readonly onConflict?: 'replace' | 'merge' | 'keep' }): Promise<WrittenReadings>;
    /** A pipeline of MongoDB's; its rows. */
    aggregate<Row = any>(id: string, pipeline: readonly Record<string, unknown>[], version?: VersionOption): Promise<Row[]>;
    /** Of one telemetry item. */
    latest(id: string, telItemId: string, version?: VersionOption): Promise<Reading | undefined>;
  }

  type WrittenReadings = { readonly [what in '_new' | '_replaced' | '_merged' | '_kept']: number };

  type PlatformFile = { readonly _id: string; readonly _name: string; readonly _type: 'file' | 'dir'; readonly _tipId: string; readonly [field: string]: any };

  interface FileFilter extends PageOptions {
    /** A folder; without one all files that the run may read. */
    readonly parent?: string;
    readonly _name?: string;
    readonly _type?: 'file' | 'dir';
    readonly _tags?: readonly string[];
    readonly _ids?: readonly string[];
    readonly _status?: string;
  }

  /** `encoding`: `utf-8` without it. */
  type TextOptions = VersionOption & { readonly encoding?: string };

  interface Files {
    list(filter?: FileFilter): List<PlatformFile>;
    get(id: string): Promise<PlatformFile>;
    /** At most 10 MB. @throws CallError for what is no text in that encoding */
    text(id: string, options?: TextOptions): Promise<string>;
    json<Value = any>(id: string, options?: TextOptions): Promise<Value>;
    /** At most 7 MB of bytes, or 10 MB of text. The same name in the same folder is a new version. */
    upload(name: string, content: string | Uint8Array, options?: { readonly parent?: string; readonly tags?: readonly string[]; readonly type?: string; readonly namespaces?: readonly string[] }): Promise<PlatformFile>;
    /** Newest first. */
    versions(id: string, options?: PageOptions): List<{ readonly _id: string; readonly [field: string]: any }>;
  }

  type Run = { readonly id: string; readonly _status: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'ERROR' | 'REQUEST_CANCEL' | 'CANCELLED'; readonly _result?: any; readonly [field: string]: any };

  interface Runs {
    start(orchestratorId: string, actualParams?: readonly { readonly sequence_type_id: string; readonly params: Record<string, unknown> }[]): Promise<Run>;
    get(id: string): Promise<Run>;
  }

  interface Workspaces {
    /** That of the run's namespaces, if the run may read it. */
    current(): Promise<{ readonly _id: string; readonly _name: string; readonly _namespaces: readonly string[]; readonly [field: string]: any } | undefined>;
  }
}

/** What is written becomes records of the run's log. */
interface Console {
  debug(...values: unknown[]): void;
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
}
declare var console: Console;

/** Other Script items of the namespace, by their user type. */
declare module 'script:*';
