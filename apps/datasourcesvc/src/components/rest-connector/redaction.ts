const HIDDEN = '***';

/** Takes the values of secrets out of what is told: as they are, and as texts of JSON, addresses and headers write them. */
export class Redaction {
  private readonly forms: readonly string[];

  constructor(secrets: Iterable<string>) {
    const forms = [...secrets].flatMap(formsOf).filter((form) => form !== '');
    // The longest first: one may be a part of another.
    this.forms = [...new Set(forms)].sort((one, other) => other.length - one.length);
  }

  text(text: string): string {
    return this.forms.reduce((left, form) => left.replaceAll(form, HIDDEN), text);
  }

  /** All texts of a value, its keys, and numbers that are a secret; the value is nested as deep as an answer may be. */
  value(value: unknown): unknown {
    if (this.forms.length === 0) return value;
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return this.forms.includes(String(value)) ? HIDDEN : value;
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map((entry: unknown) => this.value(entry));
    return Object.fromEntries(Object.entries(value).map(([key, entry]) => [this.text(key), this.value(entry)]));
  }
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, secret.trim(), inJson, encodeURIComponent(secret.toWellFormed()), bytes.toString('base64'), bytes.toString('base64url')];
}
