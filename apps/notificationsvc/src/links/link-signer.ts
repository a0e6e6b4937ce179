import { createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type NotificationsvcSettings, SETTINGS } from '../config';
import { derivedKeys, type TokenSettings } from '../resources/derived-keys';

export type LinkAction = 'accept' | 'cancel' | 'cancel-all' | 'confirm';

export interface Link {
  readonly action: LinkAction;
  readonly subscriptionId: string;
  /** Whose `_redirects` say where the reader lands. */
  readonly senderId: string;
  /** Of `confirm`: the address that the link was sent to. */
  readonly address?: string;
}

/** Links in mails that act without a sign-in: signed, for one subscription and one action. */
@Injectable()
export class LinkSigner {
  private readonly keys: readonly [Buffer, ...Buffer[]];

  constructor(@Inject(SETTINGS) private readonly settings: TokenSettings & Pick<NotificationsvcSettings, 'BASE_URL'>) {
    this.keys = derivedKeys(settings, 'links');
  }

  urlOf(link: Link): string {
    const payload = Buffer.from(JSON.stringify([link.action, link.subscriptionId, link.senderId, ...(link.address === undefined ? [] : [link.address])])).toString('base64url');
    return `${this.settings.BASE_URL}/notificationsvc/api/v1/links/${payload}.${sign(this.keys[0], payload).toString('base64url')}`;
  }

  /** `undefined` for anything that this service did not sign. */
  read(token: string): Link | undefined {
    const [payload = '', signature = ''] = token.split('.');
    const given = Buffer.from(signature, 'base64url');
    if (!this.keys.some((key) => isEqual(given, sign(key, payload)))) return undefined;
    const [action, subscriptionId, senderId, address] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [LinkAction, string, string, string?];
    return { action, subscriptionId, senderId, ...(address !== undefined && { address }) };
  }
}

const sign = (key: Buffer, payload: string) => createHmac('sha256', key).update(payload).digest();

const isEqual = (given: Buffer, expected: Buffer) => given.length === expected.length && timingSafeEqual(given, expected);
