import { hkdfSync } from 'node:crypto';
import type { NotificationsvcSettings } from '../config';

export type TokenSettings = Pick<NotificationsvcSettings, 'SERVICE_TOKEN' | 'SERVICE_TOKEN_PREVIOUS'>;

/** Keys of this service for one purpose: the one to use, and while `SERVICE_TOKEN` is being replaced, the one to know as well. */
export const derivedKeys = ({ SERVICE_TOKEN, SERVICE_TOKEN_PREVIOUS }: TokenSettings, purpose: string): readonly [Buffer, ...Buffer[]] => {
  const derive = (token: string) => Buffer.from(hkdfSync('sha256', token, '', `notificationsvc ${purpose}`, 32));
  return [derive(SERVICE_TOKEN), ...(SERVICE_TOKEN_PREVIOUS === undefined ? [] : [derive(SERVICE_TOKEN_PREVIOUS)])];
};
