import { Injectable } from '@nestjs/common';
import type { Problems } from '../pages/form';
import { textOf } from '../pages/page-reply';
import { Interactions, type Visit } from '../pages/sign-in/interactions.service';
import { SignInMethods } from '../sessions/sign-in-methods';
import type { UserEntity } from '../users/user.entity';
import { LinkMails } from './link-mails';
import { UpstreamAccounts } from './upstream-accounts.service';
import { UpstreamArrivals } from './upstream-arrivals';
import type { Arrival } from './upstream-links';
import { askPage, confirmPage, mailedPage } from './upstream-page';
import { UpstreamReplies } from './upstream-replies';

/** What the pages need, together. */
@Injectable()
export class ConsentPages {
  constructor(
    readonly interactions: Interactions,
    readonly replies: UpstreamReplies,
  ) {}
}

/** The owner of an account agrees that an issuer may sign them in to it: by the account's password, or by a mailed link. */
@Injectable()
export class AccountConsent {
  constructor(
    private readonly arrivals: UpstreamArrivals,
    private readonly accounts: UpstreamAccounts,
    private readonly methods: SignInMethods,
    private readonly mails: LinkMails,
    private readonly pages: ConsentPages,
  ) {}

  /** Signs in when nothing is left to ask. */
  show(visit: Visit): Promise<void> {
    return this.asking(visit, (arrival, account) => this.ask(visit, arrival, account, {}));
  }

  byPassword(visit: Visit): Promise<void> {
    return this.asking(visit, async (arrival, account) => {
      const { form, frame: { texts: { problems } }, request, reply, isForged } = visit;
      if (isForged) return this.ask(visit, arrival, account, { '': problems.forged }, 403);
      const result = await this.methods.authenticate('password', { body: { email: account.email, password: textOf(form['password']) }, ip: request.ip, cookies: request.headers.cookie });
      if (result.outcome === 'signed-in') return this.join(visit, arrival, account, 'password');
      if (result.outcome === 'refused') return this.ask(visit, arrival, account, { '': problems.wrongPassword }, 401);
      void reply.header('Retry-After', String(result.seconds));
      return this.ask(visit, arrival, account, { '': problems.slowed(result.seconds) }, 429);
    });
  }

  sendMail(visit: Visit): Promise<void> {
    return this.asking(visit, async (arrival, account) => {
      const { frame, isForged } = visit;
      if (isForged) return this.ask(visit, arrival, account, { '': frame.texts.problems.forged }, 403);
      const { interactions, replies } = this.pages;
      const view = replies.viewOf(visit);
      const { attemptId, provider, requestId } = arrival;
      const isSent = await this.mails.send({ attemptId, account, provider: provider.name, language: frame.language, action: actionOf(visit, arrival), requestId });
      if (!isSent) return this.ask(visit, arrival, account, { '': view.texts.tooManyMails }, 429);
      return interactions.send(visit, mailedPage(view, account.email));
    });
  }

  /** GET asks once more, the form that it shows agrees. */
  byMail(visit: Visit): Promise<void> {
    return this.asking(visit, async (arrival, account) => {
      const { request, isForged } = visit;
      const { interactions, replies } = this.pages;
      const { token } = request.params as { token: string };
      if (!this.mails.isLink(token, arrival.attemptId, account)) return replies.fail(visit, 'over', '');
      if (request.method === 'POST' && !isForged) return this.join(visit, arrival, account, 'mail');
      const action = `${actionOf(visit, arrival)}/link/${token}`;
      return interactions.send(visit, confirmPage(replies.viewOf(visit), { action, provider: arrival.provider.name, email: account.email }));
    });
  }

  /** Whether there is something to ask is looked at for each page anew: accounts and providers change. */
  private asking(visit: Visit, answer: (arrival: Arrival, account: UserEntity) => Promise<void>): Promise<void> {
    return this.arrivals.during(visit, async (arrival) => {
      const resolution = await this.accounts.resolve(arrival);
      return resolution.outcome === 'ask' ? answer(arrival, resolution.account) : this.arrivals.settle(visit, arrival, resolution);
    });
  }

  private async join(visit: Visit, arrival: Arrival, account: UserEntity, proof: 'password' | 'mail'): Promise<void> {
    const resolution = await this.accounts.join(arrival, account.id, proof);
    if (resolution.outcome === 'ask') return;
    return this.arrivals.settle(visit, arrival, resolution, proof === 'password' ? ['pwd', 'fed'] : ['fed']);
  }

  private ask(visit: Visit, arrival: Arrival, account: UserEntity, problems: Problems, status = 200): Promise<void> {
    const { interactions, replies } = this.pages;
    const page = askPage(replies.viewOf(visit), { action: actionOf(visit, arrival), provider: arrival.provider.name, email: account.email, problems });
    return interactions.send(visit, page, { status });
  }
}

const actionOf = ({ path }: Visit, { attemptId }: Arrival) => `${path}/upstream/attempts/${attemptId}`;
