import type { LinkAction } from './link-signer';

export type LinkOutcome = 'accepted' | 'cancelled' | 'unknown';

const QUESTIONS: Readonly<Record<LinkAction, { title: string; button: string }>> = {
  accept: { title: 'Do you want these notifications?', button: 'Yes, send them' },
  confirm: { title: 'Do you want notifications at this address?', button: 'Yes, send them' },
  cancel: { title: 'Stop these notifications?', button: 'Stop them' },
  'cancel-all': { title: 'Stop all notifications to this address?', button: 'Stop all of them' },
};

const ANSWERS: Readonly<Record<LinkOutcome, string>> = {
  accepted: 'You will get these notifications.',
  cancelled: 'You will not get these notifications any more.',
  unknown: 'This link is not valid any more.',
};

export const confirmPage = (action: LinkAction) =>
  page(QUESTIONS[action].title, `<form method="post"><button>${QUESTIONS[action].button}</button></form>`);

export const answerPage = (outcome: LinkOutcome) => page(ANSWERS[outcome], '');

/** Only texts from above: nothing of a caller is put into a page. */
const page = (title: string, rest: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>
<style>body{font:1.1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:15vh auto;padding:0 1.5rem;color:#1b2733}
button{font:inherit;padding:.6rem 1.4rem;border:0;border-radius:.4rem;background:#14576e;color:#fff;cursor:pointer}</style></head>
<body><h1>${title}</h1>${rest}</body></html>
`;
