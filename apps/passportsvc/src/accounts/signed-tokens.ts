import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ClientSecrets } from '../clients/client-secrets';

type Fields = readonly (string | number)[];

/** What the links of mails carry: fields that only we can have written, each for one purpose. */
@Injectable()
export class SignedTokens {
  constructor(private readonly secrets: ClientSecrets) {}

  sign(purpose: string, fields: Fields): string {
    const payload = Buffer.from(JSON.stringify(fields)).toString('base64url');
    return `${payload}.${this.macOf(purpose, payload)}`;
  }

  /** `undefined` for anything that was not signed here, or for another purpose. */
  read(purpose: string, token: string): Fields | undefined {
    const [payload = '', mac = ''] = token.split('.');
    const given = Buffer.from(mac);
    const expected = Buffer.from(this.macOf(purpose, payload));
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Fields;
  }

  /** Under the kept key of client secrets; a secret holds no colon, so the two cannot be taken for each other. */
  private macOf(purpose: string, payload: string): string {
    return this.secrets.hash(`${purpose}:${payload}`);
  }
}
