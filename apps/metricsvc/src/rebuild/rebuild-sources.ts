import type { AggregatesResponse, Topic } from '@twinyard/events';
import type { MeasuredType } from '../measurements/subjects';

/** What is measured, by the topics of the services that keep it. */
export const SOURCES = {
  'passportsvc.workspace': 'PASSPORT_URL',
  'passportsvc.usergroup': 'PASSPORT_URL',
  'filesvc.file': 'FILESVC_URL',
  'itemsvc.item': 'ITEMSVC_URL',
} as const satisfies Partial<Record<Topic, string>>;
export type SourceTopic = keyof typeof SOURCES;
export const SOURCE_TOPICS = Object.keys(SOURCES) as SourceTopic[];

/** The topic of each kind of subject (`subjects.ts`), by what stands before its colon. */
export const TOPIC_OF_SUBJECT: Readonly<Record<string, SourceTopic>> = {
  file: 'filesvc.file',
  fileversion: 'filesvc.file',
  preview: 'filesvc.file',
  item: 'itemsvc.item',
  version: 'itemsvc.item',
  readings: 'itemsvc.item',
  'passportsvc.Workspace': 'passportsvc.workspace',
  'passportsvc.UserGroup': 'passportsvc.usergroup',
};

export type Page = AggregatesResponse<MeasuredType>;

/** A service cannot be reached, or cannot answer right now: it is to be asked again, whatever the question was. */
export class SourceAway extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SourceAway';
  }
}

/** The other services, as a rebuild reads them. Whoever has given a `signal` may be told to stop. @throws SourceAway */
export abstract class RebuildSources {
  /** The next aggregates behind `after` in the order of their keys, deleted ones too. */
  abstract next(topic: SourceTopic, after: string | undefined, signal?: AbortSignal): Promise<Page>;
  /** These aggregates, as many as there are keys. */
  abstract read(topic: SourceTopic, keys: readonly string[], signal?: AbortSignal): Promise<Page['aggregates']>;
}
