import { Injectable } from '@nestjs/common';
import { mailboxOf } from '@twinyard/conventions';
import { ResetRequests } from '../../accounts/reset/reset-requests.service';
import type { Problems } from '../form';
import { textOf } from '../page-reply';
import { Interactions, type Visit } from './interactions.service';
import { resetRequestPage, resetSentPage } from './reset-request-page';

/** "Forgot your password?": the same answer whether there is an account or not. */
@Injectable()
export class ResetRequestPages {
  constructor(
    private readonly interactions: Interactions,
    private readonly requests: ResetRequests,
  ) {}

  show(visit: Visit): Promise<void> {
    return this.showForm(visit, textOf(visit.interaction.params['login_hint']), {});
  }

  async request(visit: Visit): Promise<void> {
    const { form, frame, request, reply, path } = visit;
    const { problems } = frame.texts;
    const typed = textOf(form['email']).trim();
    const email = mailboxOf(typed);
    if (visit.isForged) return this.showForm(visit, typed, { '': problems.forged }, 403);
    if (email === undefined) return this.showForm(visit, typed, { email: problems.email }, 400);
    const seconds = await this.requests.take({ email, language: frame.language }, request.ip, request.id);
    if (seconds === 0) return this.interactions.send(visit, resetSentPage({ ...frame, here: `${path}/reset` }, { path, email }));
    void reply.header('Retry-After', String(seconds));
    return this.showForm(visit, email, { '': problems.tooMany(seconds) }, 429);
  }

  private showForm(visit: Visit, email: string, problems: Problems, status = 200): Promise<void> {
    const { frame, path, csrf } = visit;
    return this.interactions.send(visit, resetRequestPage({ ...frame, here: `${path}/reset` }, { path, csrf, email, problems }), { status });
  }
}
