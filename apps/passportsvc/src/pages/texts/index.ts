import { de } from './de';
import { en, type Texts } from './en';
import type { InEachLanguage } from './language';

export type { Texts };

/** Every text of our own pages and mails. */
export const TEXTS: InEachLanguage<Texts> = { en, de };
