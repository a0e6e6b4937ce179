import type { Frame } from './frame';
import { attributes, Html, html } from './html';

/** What is wrong with what somebody entered, by field; `''` for what concerns no field. */
export type Problems = Readonly<Record<string, string>>;

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'email' | 'password';
  readonly value?: string;
  /** HTML section 4.10.18.7.1, so that browsers and password managers fill it in. */
  readonly autocomplete: string;
  readonly hint?: string;
  readonly isOptional?: boolean;
  readonly isFixed?: boolean;
  readonly hasFocus?: boolean;
}

/** A labelled input with its hint and its problem, both read out with it. */
export function field({ texts }: Frame, problems: Problems, asked: Field): Html {
  const { name, label, hint } = asked;
  const problem = problems[name];
  const hasFocus = asked.hasFocus === true && Object.keys(problems).length === 0;
  return html`<div class="field">
      <label for="${name}">${label}${asked.isOptional === true && html` <span class="optional">(${texts.page.optional})</span>`}</label>
      ${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
      ${problem !== undefined && html`<p class="field-problem" id="${name}-problem">${problem}</p>`}
      <input${attributes({ ...inputOf(asked), ...describedBy(asked, problem), autofocus: hasFocus })}>
    </div>`;
}

/** What somebody entered comes back with the page, a password never. */
function inputOf({ name, type = 'text', value = '', autocomplete, isOptional, isFixed }: Field) {
  const isAddress = type === 'email';
  return {
    id: name, name, type, value: type === 'password' ? undefined : value, autocomplete,
    autocapitalize: isAddress && 'none', spellcheck: isAddress && 'false', required: isOptional !== true, readonly: isFixed === true,
  };
}

function describedBy({ name, hint }: Field, problem: string | undefined) {
  const ids = [hint !== undefined && `${name}-hint`, problem !== undefined && `${name}-problem`].filter((id) => id !== false);
  return { 'aria-invalid': problem !== undefined && 'true', 'aria-describedby': ids.length > 0 && ids.join(' ') };
}

/** What is wrong, first on the page and with the focus, each with a way to its field. */
export function problemSummary({ texts }: Frame, problems: Problems): Html | undefined {
  const all = Object.entries(problems);
  if (all.length === 0) return undefined;
  const [first] = all;
  if (all.length === 1 && first?.[0] === '') return html`<div class="problem" id="problem" role="alert" tabindex="-1" autofocus><p>${first[1]}</p></div>`;
  const items = all.map(([name, text]) => (name === '' ? html`<li>${text}</li>` : html`<li><a href="#${name}">${text}</a></li>`));
  return html`<div class="problem" id="problem" role="alert" tabindex="-1" autofocus><p>${texts.page.problems}</p><ul>${Html.of(items)}</ul></div>`;
}

export const csrfField = (token: string): Html => html`<input type="hidden" name="csrf" value="${token}">`;

export const strong = (text: string): Html => html`<strong>${text}</strong>`;

export const notice = (content: Html | string): Html => html`<p class="notice" role="status">${content}</p>`;
