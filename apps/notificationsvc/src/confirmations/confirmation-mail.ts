const SUBJECT = 'Please confirm that you want notifications at this address';
const MAX_WORDS = 2_000;

export interface ConfirmationText {
  readonly applicationName: string;
  readonly acceptLink: string;
  /** The tenant's own words, rendered; missing where it has none. */
  readonly words: string | undefined;
}

/**
 * The one mail to an address that nobody has confirmed. It is plain text; subject and sender are the platform's. A tenant adds at most its own
 * words, marked as such, and without addresses in them: whoever gets this has not asked for it.
 */
export function confirmationMail({ applicationName, acceptLink, words }: ConfirmationText): { subject: string; body: string } {
  const quoted = withoutLinks((words ?? '').slice(0, MAX_WORDS)).trim();
  const from = withoutLinks(applicationName).replace(/\s+/g, ' ').slice(0, 100).trim();
  const parts = [
    `Somebody asked that notifications${from === '' ? '' : ` of "${from}"`} be sent to this address.`,
    ...(quoted === '' ? [] : [`They wrote:\n\n${quoted.split('\n').map((line) => `> ${line}`).join('\n')}`]),
    `If you want them, open this page and confirm:\n${acceptLink}`,
    'If you do not know of this, do nothing: without your answer nothing more is sent.',
  ];
  return { subject: SUBJECT, body: `${parts.join('\n\n')}\n` };
}

/** What mail programs make links of. The time grows with the square of the length: for short texts alone. */
const withoutLinks = (text: string) => text.replace(/(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S*/gi, '…').replace(/[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:[/?#]\S*)?/gi, '…');
