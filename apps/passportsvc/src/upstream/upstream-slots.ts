import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SIGN_IN_PATH } from '../oauth/oidc-configuration';
import type { Frame } from '../pages/frame';
import { textOf } from '../pages/page-reply';
import { type Alternatives, PageSlots } from '../pages/page-slots';
import type { Interaction } from '../pages/sign-in/interaction';
import { Connections } from './connections.service';
import { HomeRealm } from './home-realm';
import { alternativesBlock } from './upstream-page';
import { UPSTREAM_TEXTS } from './upstream-texts';

/** What this room puts into pages that are not its own. */
@Injectable()
export class UpstreamSlots implements OnModuleInit {
  constructor(
    private readonly slots: PageSlots,
    private readonly realm: HomeRealm,
    private readonly connections: Connections,
  ) {}

  onModuleInit(): void {
    this.slots.offerAlternatives((interaction, frame, csrf) => this.alternatives(interaction, frame, csrf));
    this.slots.offerAccountSection((part) => this.connections.section(part));
  }

  private async alternatives(interaction: Interaction, frame: Frame, csrf: string): Promise<Alternatives> {
    const providers = await this.realm.forApplication(textOf(interaction.params['client_id']));
    const view = { frame, texts: UPSTREAM_TEXTS[frame.language], path: `${SIGN_IN_PATH}/${interaction.uid}`, csrf };
    return { markup: alternativesBlock(view, providers, await this.realm.hasDomains()), formTargets: [] };
  }
}
