import { Injectable } from '@nestjs/common';
import { KeyCipher } from '@twinyard/envelope';
import { RequestSeal } from '@twinyard/jobs';

/** Bodies of requests that wait, and their answers, for as long as these are kept: a day. */
@Injectable()
export class KeyCipherRequestSeal extends RequestSeal {
  constructor(private readonly cipher: KeyCipher) {
    super();
  }

  override seal(text: string, context: string): string {
    return this.cipher.seal(text, context);
  }

  override open(sealed: string, context: string): string {
    return this.cipher.open(sealed, context);
  }
}
