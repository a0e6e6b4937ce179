import type { Target } from '@twinyard/auth';

export const KINDS = ['trigger', 'sender', 'template', 'group', 'device', 'subscription'] as const;
export type Kind = (typeof KINDS)[number];

/** A record of any kind. `body` holds the fields of its kind as the wire names them. */
export interface Resource<B = Record<string, unknown>> {
  readonly id: string;
  readonly kind: Kind;
  readonly namespace: string;
  readonly name: string;
  /** Goes up with each change; a change that names an older one is refused. */
  readonly version: number;
  readonly body: B;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly createdById: string;
  readonly updatedById: string;
}

export const typeOf = (kind: Kind) => `notificationsvc:${kind}` as const;

/** What permissions on a record are asked with; `*` for one that is not there yet. */
export const targetOf = (kind: Kind, namespace: string, id = '*'): Target => ({ type: typeOf(kind), id, namespaces: [namespace] });
