import type { AccessKey } from '../../accesskeys/access-keys.repository';
import type { MadeAccessKey } from '../../accesskeys/access-keys.service';
import { field, type Problems } from '../../pages/form';
import type { Frame } from '../../pages/frame';
import { Html, html } from '../../pages/html';

/** Days that a new key may be valid for; `''`: until it is deleted. */
export const KEY_LIVES = ['30', '90', '365', ''] as const;
export type KeyLife = (typeof KEY_LIVES)[number];
/** What a new key may do. */
export const KEY_POWERS = ['read', 'write'] as const;
export type KeyPower = (typeof KEY_POWERS)[number];

/** As it was entered. */
export interface KeyDraft {
  readonly name: string;
  readonly life: string;
  readonly power: string;
}

export const NEW_KEY: KeyDraft = { name: '', life: '90', power: 'write' };

export interface AccessKeyPart {
  readonly all: readonly AccessKey[];
  readonly draft: KeyDraft;
  /** One that was made by this request, whose secret is shown this once. */
  readonly made: MadeAccessKey | undefined;
  /** Where a key is shown for a token. */
  readonly tokenAddress: string;
}

type FormOf = (part: string, content: Html) => Html;

/** Somebody's access keys, each with a way to delete it, and a form that makes one more. */
export function accessKeyPart(frame: Frame, part: AccessKeyPart, problems: Problems, form: FormOf): Html {
  const { account } = frame.texts;
  return html`<p>${account.keysLead}</p>
    ${part.made !== undefined && madeKey(frame, part.made, part.tokenAddress)}
    ${part.all.length === 0 ? html`<p class="small">${account.noKeys}</p>` : keyList(frame, part.all, form)}
    ${newKeyForm(frame, part.draft, problems, form)}`;
}

function keyList({ language, texts: { account } }: Frame, keys: readonly AccessKey[], form: FormOf): Html {
  const day = (date: Date) => new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
  const rows = keys.map(({ id, name, createdAt, expiresAt, scopes }) => html`<li>
        <div><strong>${name}</strong><span class="small">${account.keyMade(day(createdAt))}${expiresAt !== null && html`, ${account.keyEnds(day(expiresAt))}`}${!scopes.includes('write') && html`, ${account.keyReads}`}</span></div>
        ${form(`access-keys/${id}`, html`<button type="submit" class="danger" aria-label="${account.deleteKeyNamed(name)}">${account.deleteKey}</button>`)}
      </li>`);
  return html`<ul class="rows">${Html.of(rows)}</ul>`;
}

function madeKey({ texts: { account } }: Frame, { key: { id, name }, secret }: MadeAccessKey, tokenAddress: string): Html {
  return html`<div class="notice" role="status" id="made-key">
      <p><strong>${account.keyIsMade(name)}</strong> ${account.keySecretOnce}</p>
      <dl><dt>${account.keyId}</dt><dd><code>${id}</code></dd><dt>${account.keySecret}</dt><dd><code>${secret}</code></dd></dl>
      <p>${account.keyUse}</p>
      <pre><code>curl -X POST -u '${id}:${secret}' '${tokenAddress}'</code></pre>
    </div>`;
}

function newKeyForm(frame: Frame, { name, life, power }: KeyDraft, problems: Problems, form: FormOf): Html {
  const { account } = frame.texts;
  return form('access-keys', html`<h3>${account.newKey}</h3>
      ${field(frame, problems, { name: 'keyname', label: account.keyName, value: name, autocomplete: 'off' })}
      <div class="columns">${choice('keylife', account.keyLife, KEY_LIVES.map((value) => [value, account.keyLives[value]]), life)}
      ${choice('keypower', account.keyPower, KEY_POWERS.map((value) => [value, account.keyPowers[value]]), power)}</div>
      <button type="submit">${account.makeKey}</button>`);
}

function choice(name: string, label: string, options: readonly (readonly [value: string, label: string])[], chosen: string): Html {
  const each = options.map(([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`);
  return html`<div class="field"><label for="${name}">${label}</label><select id="${name}" name="${name}">${Html.of(each)}</select></div>`;
}
