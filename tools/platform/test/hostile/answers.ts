/** Of a body, as much as tells what it is. */
export const BEGINNING = 4_096;
const LONGEST = 120;

/** An answer in the words of a tally: `201`, `200 rows`, `200 page cut`, `400 invalid: body: …`, and of OAuth's endpoints `400 invalid_request: …`. `text`: what its body begins with. */
export function inWords(status: number, text: string): string {
  if (status >= 400) return `${status} ${memberOf(text, 'code', 'error')}: ${memberOf(text, 'message', 'error_description')}`.slice(0, LONGEST);
  const [, size = '', total = ''] = /"_pageSize":(\d+),"_total":(\d+)/.exec(text) ?? [];
  if (Number(size) < Number(total)) return `${status} page cut`;
  return text.includes('"_list":[{') ? `${status} rows` : String(status);
}

/** The same of what came over a line, with its head. */
export function lineInWords(said: string): string {
  const status = /^HTTP\/1\.1 (\d{3}) /.exec(said)?.[1];
  return status === undefined ? 'no HTTP' : inWords(Number(status), said.slice(said.indexOf('\r\n\r\n')));
}

const memberOf = (text: string, ...names: readonly string[]): string => new RegExp(`"(?:${names.join('|')})":"((?:[^"\\\\]|\\\\.)*)"`).exec(text)?.[1] ?? '';
