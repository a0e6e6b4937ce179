import { Injectable } from '@nestjs/common';
import { KeyCipher } from '@twinyard/envelope';

/** Seals the secrets by which we sign in at the identity providers of organizations; `keys reseal` moves them to another key. */
@Injectable()
export class ProviderSecrets {
  constructor(private readonly cipher: KeyCipher) {}

  seal(secret: string, providerId: string): string {
    return this.cipher.seal(secret, providerSecretContext(providerId));
  }

  open(sealed: string, providerId: string): string {
    return this.cipher.open(sealed, providerSecretContext(providerId));
  }
}

export const providerSecretContext = (providerId: string): string => `identity provider ${providerId}`;
