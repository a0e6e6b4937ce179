import { Injectable } from '@nestjs/common';
import { domainOf, type IdentityProviderEntity } from '../identityproviders/identity-provider.entity';
import { IdentityProvidersRepository } from '../identityproviders/identity-providers.repository';

const MAX_BUTTONS = 12;

/** Which identity providers a sign-in may go to: those of the application's organization, and every trusted one. */
@Injectable()
export class HomeRealm {
  constructor(private readonly providers: IdentityProvidersRepository) {}

  /** Those that the sign-in page shows. */
  forApplication(appId: string): Promise<IdentityProviderEntity[]> {
    return this.providers.listForApp(appId, MAX_BUTTONS);
  }

  /** The trusted one that an address belongs to. */
  ofAddress(email: string): Promise<IdentityProviderEntity | undefined> {
    return this.providers.findByDomain(domainOf(email));
  }

  hasDomains(): Promise<boolean> {
    return this.providers.hasDomains();
  }

  /** One that this application's users may be sent to. An organization cannot put its issuer before the users of others. */
  async find(appId: string, id: string): Promise<IdentityProviderEntity | undefined> {
    const provider = await this.providers.find(id);
    if (provider === undefined || provider.trusted) return provider;
    return (await this.providers.isForApp(appId, id)) ? provider : undefined;
  }

  /** For somebody who comes back from it. */
  get(id: string): Promise<IdentityProviderEntity | undefined> {
    return this.providers.find(id);
  }
}
