import { Injectable } from '@nestjs/common';
import type { Frame } from './frame';
import { Html } from './html';
import type { Interaction } from './sign-in/interaction';

/** Ways to sign in other than by password: links or forms, each a whole block. */
export interface Alternatives {
  readonly markup: Html;
  /** Origins of other places that forms among them end at, for the page's policy. */
  readonly formTargets: readonly string[];
}

export type AlternativesOf = (interaction: Interaction, frame: Frame, csrf: string) => Promise<Alternatives>;

export interface AccountPart {
  readonly userId: string;
  readonly frame: Frame;
  /** For the hidden field `csrf` of its forms; `AccountSession.during` checks it. */
  readonly csrf: string;
}

/** A section of the account page, or nothing. */
export type AccountSectionOf = (part: AccountPart) => Promise<Html>;

const NOTHING = new Html('');

/** What rooms put into pages that are not theirs: each says so once, when it starts (`onModuleInit`). */
@Injectable()
export class PageSlots {
  private alternatives: AlternativesOf = async () => ({ markup: NOTHING, formTargets: [] });
  private section: AccountSectionOf = async () => NOTHING;

  /** Below the form of the sign-in page. */
  offerAlternatives(alternatives: AlternativesOf): void {
    this.alternatives = alternatives;
  }

  /** Between the sections on sign-in and on access keys. */
  offerAccountSection(section: AccountSectionOf): void {
    this.section = section;
  }

  alternativesFor: AlternativesOf = (interaction, frame, csrf) => this.alternatives(interaction, frame, csrf);
  accountSectionFor: AccountSectionOf = (part) => this.section(part);
}
