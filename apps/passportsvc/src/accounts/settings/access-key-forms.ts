import { Injectable } from '@nestjs/common';
import { ServiceError } from '@twinyard/conventions';
import { type AccessKeyDraft, AccessKeys, KEY_NAME_LENGTH, MAX_KEYS } from '../../accesskeys/access-keys.service';
import type { Problems } from '../../pages/form';
import { textOf } from '../../pages/page-reply';
import type { Texts } from '../../pages/texts';
import { KEY_LIVES, KEY_POWERS, type KeyDraft } from './access-key-part';
import { AccountPages, actorOf } from './account-pages.service';
import type { AccountVisit } from './account-session';

const DAY_MS = 86_400_000;

/** The forms about access keys on the account page. */
@Injectable()
export class AccessKeyForms {
  constructor(
    private readonly pages: AccountPages,
    private readonly accessKeys: AccessKeys,
  ) {}

  /** The page itself is the answer: the secret is in no address, and nowhere else. */
  async make(visit: AccountVisit): Promise<void> {
    const { user, form, frame: { texts } } = visit;
    const draft: KeyDraft = { name: textOf(form['keyname']).trim(), life: textOf(form['keylife']), power: textOf(form['keypower']) };
    const wrong = problemsOf(draft, texts);
    if (Object.keys(wrong).length > 0) return this.pages.show(visit, wrong, { status: 400, keyDraft: draft });
    try {
      const made = await this.accessKeys.createOf(user.id, toKey(draft), actorOf(visit));
      return await this.pages.show(visit, {}, { madeKey: made });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'limit_exceeded') throw error;
      return this.pages.show(visit, { '': texts.problems.keysFull(MAX_KEYS) }, { status: 400, keyDraft: draft });
    }
  }

  /** One that is gone already is as well as deleted. */
  async remove(visit: AccountVisit): Promise<void> {
    const { id } = visit.request.params as { id: string };
    await this.accessKeys.removeOf(visit.user.id, id, actorOf(visit)).catch((error: unknown) => {
      if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
    });
    return this.pages.done(visit, 'key');
  }
}

const isOneOf = (all: readonly string[], value: string) => all.includes(value);

const problemsOf = ({ name, life, power }: KeyDraft, { problems }: Texts): Problems => ({
  ...((name === '' || name.length > KEY_NAME_LENGTH) && { keyname: problems.keyName(KEY_NAME_LENGTH) }),
  ...(!isOneOf(KEY_LIVES, life) && { keylife: problems.choice }),
  ...(!isOneOf(KEY_POWERS, power) && { keypower: problems.choice }),
});

const toKey = ({ name, life, power }: KeyDraft): AccessKeyDraft => ({
  name, expiresAt: life === '' ? null : new Date(Date.now() + Number(life) * DAY_MS), scopes: power === 'read' ? ['read'] : ['read', 'write'],
});
