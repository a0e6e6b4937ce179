import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { forbidden } from '@twinyard/conventions';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';

export const CONTENT_PATH = 'filesvc/api/v1/content';

type SigningSettings = Pick<FilesvcSettings, 'BASE_URL' | 'SERVICE_TOKEN' | 'SERVICE_TOKEN_PREVIOUS' | 'URL_SIGNING_KEY' | 'URL_SIGNING_KEY_PREVIOUS' | 'URL_TTL_SECONDS'>;

/** A download that somebody who may read the file was given. Only `SignedAddresses` makes one. */
export abstract class VerifiedAddress {
  protected readonly brand = 'VerifiedAddress' as const;
  abstract readonly versionId: string;
  /** Until the address stops working. */
  abstract readonly secondsLeft: number;
}

class Verified extends VerifiedAddress {
  constructor(override readonly versionId: string, override readonly secondsLeft: number) {
    super();
  }
}

/**
 * Download addresses: `{base_url}/filesvc/api/v1/content/<version>/<name>?expires=<epoch seconds>&signature=<HMAC>`. The signature is
 * over version and time alone: not over the host, since services reach each other under other names, nor over the name, which may change.
 */
@Injectable()
export class SignedAddresses {
  /** The first signs; the others, which are being replaced or will be, are known as well. */
  private readonly keys: readonly [Buffer, ...Buffer[]];

  constructor(@Inject(FILESVC_SETTINGS) private readonly settings: SigningSettings) {
    const { SERVICE_TOKEN, SERVICE_TOKEN_PREVIOUS, URL_SIGNING_KEY, URL_SIGNING_KEY_PREVIOUS } = settings;
    const others = [URL_SIGNING_KEY_PREVIOUS, SERVICE_TOKEN, SERVICE_TOKEN_PREVIOUS].filter((secret) => secret !== undefined);
    this.keys = [keyOf(URL_SIGNING_KEY ?? SERVICE_TOKEN), ...others.map(keyOf)];
  }

  /** `path`: where what has this id is served. */
  issue(versionId: string, name: string, now: Date = new Date(), path: string = CONTENT_PATH): string {
    const expires = Math.floor(now.getTime() / 1_000) + this.settings.URL_TTL_SECONDS;
    const url = new URL(`${this.settings.BASE_URL}/${path}/${versionId}/${encodeURIComponent(name.replace(WAY_UP, '_'))}`);
    url.searchParams.set('expires', String(expires));
    url.searchParams.set('signature', sign(this.keys[0], versionId, expires).toString('base64url'));
    return url.href;
  }

  /** 403 for an address that was never given, or that has expired. */
  verify(versionId: string, expires: unknown, signature: unknown, now: Date = new Date()): VerifiedAddress {
    const until = typeof expires === 'string' && /^\d{1,12}$/.test(expires) ? Number(expires) : 0;
    const given = Buffer.from(typeof signature === 'string' ? signature : '', 'base64url');
    if (!this.keys.some((key) => isEqual(given, sign(key, versionId, until)))) throw forbidden('The signature of this address is wrong');
    if (now.getTime() >= until * 1_000) throw forbidden('This address has expired; ask for another');
    return new Verified(versionId, until - Math.ceil(now.getTime() / 1_000));
  }
}

/** At the beginning of a segment gateways and firewalls refuse it. Nobody reads the name here: that of the file is in `Content-Disposition`. */
const WAY_UP = /^\.{2,}/;

const keyOf = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', 'filesvc download addresses', 32));

const sign = (key: Buffer, versionId: string, expires: number) => createHmac('sha256', key).update(`download ${versionId} ${expires}`).digest();

const isEqual = (given: Buffer, right: Buffer) => given.length === right.length && timingSafeEqual(given, right);
