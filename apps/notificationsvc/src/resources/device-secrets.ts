import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { type NotificationsvcSettings, SETTINGS } from '../config';

const PREFIX = 'whsec_';
const KEY_BYTES = 24;

/** `whsec_` and 24 to 64 bytes in base64 (Standard Webhooks, signature scheme). */
export const isWebhookSecret = (text: string): boolean => {
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64').length;
  return text.startsWith(PREFIX) && /^[A-Za-z0-9+/]+={0,2}$/.test(text.slice(PREFIX.length)) && bytes >= 24 && bytes <= 64;
};

export const newWebhookSecret = () => PREFIX + randomBytes(KEY_BYTES).toString('base64');

/** The bytes that sign. */
export const signingKeyOf = (secret: string) => Buffer.from(secret.slice(PREFIX.length), 'base64');

/** Webhook secrets at rest: AES-256-GCM under a key of this service, so that a copy of the database signs nothing. */
@Injectable()
export class DeviceSecrets {
  private readonly key: Buffer;

  constructor(@Inject(SETTINGS) settings: NotificationsvcSettings) {
    this.key = Buffer.from(hkdfSync('sha256', settings.SERVICE_TOKEN, '', 'notificationsvc webhook secrets', 32));
  }

  seal(secret: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce);
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  open(sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64');
    const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, 12)).setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  }
}
