import { invalidField } from '@twinyard/conventions';
import type { InviteEntity, InviteStatus } from './invite.entity';

const NEXT = {
  PENDING: ['ACCEPTED', 'REJECTED', 'CANCELLED', 'EXPIRED'],
  ACCEPTED: [],
  REJECTED: [],
  CANCELLED: [],
  EXPIRED: [],
} as const satisfies Record<InviteStatus, readonly InviteStatus[]>;

/** As it is now: an invite whose time is over is EXPIRED, also before the sweeper has written that down. */
export const statusAt = ({ status, expiresAt }: Pick<InviteEntity, 'status' | 'expiresAt'>, now: Date): InviteStatus =>
  status === 'PENDING' && expiresAt <= now ? 'EXPIRED' : status;

/** @throws ServiceError `invalid` for any transition that is not in the table (contract 1.5). */
export function requireTransition(invite: InviteEntity, to: InviteStatus, now: Date): void {
  const from = statusAt(invite, now);
  if (!(NEXT[from] as readonly InviteStatus[]).includes(to)) throw invalidField('_status', `an invite that is ${from} cannot become ${to}`);
}
