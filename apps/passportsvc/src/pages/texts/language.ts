export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

/** One value for each language: what is missing in one does not compile. */
export type InEachLanguage<T> = Readonly<Record<Language, T>>;

const DEFAULT: Language = 'en';
const MAX_RANGES = 20;

/** What says in which language somebody reads, the strongest first. */
export interface Preferences {
  /** Of the authorization request, or of the link at the foot of a page: tags separated by spaces (OpenID Connect Core 3.1.2.1). */
  readonly uiLocales?: string | undefined;
  /** Of the account, where it is known. */
  readonly locale?: string | null | undefined;
  readonly acceptLanguage?: string | undefined;
}

export function languageFor({ uiLocales, locale, acceptLanguage }: Preferences): Language {
  const ranges = [...(uiLocales ?? '').split(/\s+/), locale ?? '', ...rangesOf(acceptLanguage ?? '')].filter((range) => range !== '');
  return lookup(ranges.slice(0, MAX_RANGES)) ?? DEFAULT;
}

/** RFC 4647 section 3.4: each range in turn, cut from its end until a language that there is remains. */
function lookup(ranges: readonly string[]): Language | undefined {
  for (const range of ranges) {
    const subtags = range.toLowerCase().split('-');
    for (; subtags.length > 0; subtags.length -= subtags.at(-2)?.length === 1 ? 2 : 1) {
      const found = LANGUAGES.find((language) => language === subtags.join('-'));
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** What a header accepts (RFC 9110 section 12.4.2): by weight; `*` says nothing, and a weight of zero means "not this one". */
export function rangesOf(header: string): string[] {
  const weighted = header.slice(0, 500).split(',').map((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    return { range, weight: weight === undefined ? 1 : Number(weight) };
  });
  return weighted.filter(({ range, weight }) => range !== '*' && weight > 0).sort((one, other) => other.weight - one.weight).map(({ range }) => range);
}
