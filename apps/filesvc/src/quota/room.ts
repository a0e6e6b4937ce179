import { ServiceError } from '@twinyard/conventions';

/** How much a namespace may hold, and does. */
export interface NamespaceUsage {
  readonly namespace: string;
  readonly limit: number;
  readonly used: number;
}

/** How many bytes there is room for, and what is answered to more. */
export interface Room {
  readonly bytes: number;
  readonly refuse: (requested: number) => ServiceError;
}

/** 413 with the figures. */
export function quotaExceeded({ namespace, limit, used }: NamespaceUsage, requested: number): ServiceError {
  const figures = { _limit: limit, _used: used, _requested: requested };
  const details = Object.entries(figures).map(([field, bytes]) => ({ field, issue: String(bytes) }));
  return new ServiceError('quota_exceeded', `The namespace ${namespace} may hold ${limit} bytes and holds ${used}; there is no room for ${requested} more`, { details });
}

/** Of the fullest of these namespaces; `undefined`, when none has a limit. */
export function roomIn(usages: readonly NamespaceUsage[]): Room | undefined {
  const [fullest] = [...usages].sort((one, other) => one.limit - one.used - (other.limit - other.used));
  return fullest && { bytes: Math.max(0, fullest.limit - fullest.used), refuse: (requested) => quotaExceeded(fullest, requested) };
}
