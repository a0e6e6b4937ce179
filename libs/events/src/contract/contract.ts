import { z } from 'zod';
import type { Topic } from './topics';

/** What every published resource says of itself (contract 0.5). */
const COMMON = {
  _id: z.string(),
  /** `<service>:<resource type>:<id>` */
  _irn: z.string(),
  _name: z.string().optional(),
  /** Empty for what lies in no namespace (an organization, a user). */
  _namespaces: z.array(z.string()),
  _userType: z.string().optional(),
};

export interface Contract<F extends z.ZodRawShape = z.ZodRawShape> {
  readonly topic: Topic;
  /** The field that names the aggregate. Events of one aggregate keep their order and share one sequence. */
  readonly keyField: string;
  /** When it is published, in words; printed in docs/events.md. */
  readonly about: string;
  readonly resource: z.ZodObject<typeof COMMON & F>;
}

export interface ContractTerms<F extends z.ZodRawShape> {
  readonly topic: Topic;
  readonly about: string;
  readonly fields?: F;
  /** `_id` unless said otherwise: a version's events are ordered with those of its item or file. */
  readonly key?: '_id' | (keyof F & string);
}

type NoFields = Record<never, z.ZodType>;

/** Declares what the events of one resource type carry beside the common fields. */
export function contract<F extends z.ZodRawShape = NoFields>(terms: ContractTerms<F>): Contract<F> {
  const resource = z.object({ ...COMMON, ...terms.fields }) as Contract<F>['resource'];
  return { topic: terms.topic, keyField: terms.key ?? '_id', about: terms.about, resource };
}

export const text = z.string();
export const texts = z.array(z.string());
/** Counts and bytes are absolute: what is there after the change. */
export const amount = z.number().int().nonnegative();
export const flag = z.boolean();
