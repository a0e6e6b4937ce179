import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../config';
import { derivedKeys, type TokenSettings } from './derived-keys';

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
  private readonly keys: readonly [Buffer, ...Buffer[]];

  constructor(@Inject(SETTINGS) settings: TokenSettings) {
    this.keys = derivedKeys(settings, 'webhook secrets');
  }

  seal(secret: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0], nonce);
    const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  open(sealed: string): string {
    for (const key of this.keys) {
      const secret = openWith(key, sealed);
      if (secret !== undefined) return secret;
    }
    throw new Error('A webhook secret is sealed under another SERVICE_TOKEN');
  }

  /** Whether it is sealed under the key that seals now. */
  isCurrent(sealed: string): boolean {
    return openWith(this.keys[0], sealed) !== undefined;
  }
}

function openWith(key: Buffer, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 }).setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
