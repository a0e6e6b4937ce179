import { Injectable } from '@nestjs/common';
import { Interactions, type Visit } from '../pages/sign-in/interactions.service';
import { failurePage, type UpstreamView } from './upstream-page';
import { type Failure, UPSTREAM_TEXTS } from './upstream-texts';

/** The issuer's side is at fault, or ours; or whoever signs in is not let in. */
const STATUS: Readonly<Record<Failure, number>> = {
  cancelled: 403, refused: 403, disabled: 403, 'no-email': 403, 'other-domain': 403, 'no-account': 403, 'unknown-provider': 404, 'no-such-domain': 404, over: 400,
  unreachable: 502, private: 502, 'other-issuer': 502, unsafe: 502, 'rejected-us': 502, clock: 502, protocol: 502,
};

@Injectable()
export class UpstreamReplies {
  constructor(private readonly interactions: Interactions) {}

  viewOf({ frame, path, csrf }: Visit): UpstreamView {
    return { frame, texts: UPSTREAM_TEXTS[frame.language], path, csrf };
  }

  fail(visit: Visit, failure: Failure, provider: string): Promise<void> {
    const view = this.viewOf(visit);
    return this.interactions.send(visit, failurePage(view, view.texts.problems[failure](provider)), { status: STATUS[failure] });
  }
}
