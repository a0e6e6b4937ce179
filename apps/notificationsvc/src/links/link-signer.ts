import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type NotificationsvcSettings, SETTINGS } from '../config';

export type LinkAction = 'accept' | 'cancel' | 'cancel-all';

export interface Link {
  readonly action: LinkAction;
  readonly subscriptionId: string;
  /** Whose `_redirects` say where the reader lands. */
  readonly senderId: string;
}

/** Links in mails that act without a sign-in: signed, for one subscription and one action. */
@Injectable()
export class LinkSigner {
  private readonly key: Buffer;

  constructor(@Inject(SETTINGS) private readonly settings: NotificationsvcSettings) {
    this.key = Buffer.from(hkdfSync('sha256', settings.SERVICE_TOKEN, '', 'notificationsvc links', 32));
  }

  urlOf(link: Link): string {
    const payload = Buffer.from(JSON.stringify([link.action, link.subscriptionId, link.senderId])).toString('base64url');
    return `${this.settings.BASE_URL}/notificationsvc/api/v1/links/${payload}.${this.sign(payload).toString('base64url')}`;
  }

  /** `undefined` for anything that this service did not sign. */
  read(token: string): Link | undefined {
    const [payload = '', signature = ''] = token.split('.');
    const given = Buffer.from(signature, 'base64url');
    const expected = this.sign(payload);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const [action, subscriptionId, senderId] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [LinkAction, string, string];
    return { action, subscriptionId, senderId };
  }

  private sign(payload: string): Buffer {
    return createHmac('sha256', this.key).update(payload).digest();
  }
}
