import { invalidField } from '@twinyard/conventions';
import type { IndexSpec } from '../document-store';

/** MongoDB's text languages by name; both stores know these. `simple` is PostgreSQL's word for `none`. */
const LANGUAGES: ReadonlySet<string> = new Set([
  'none', 'simple', 'danish', 'dutch', 'english', 'finnish', 'french', 'german', 'hungarian', 'italian', 'norwegian', 'portuguese',
  'romanian', 'russian', 'spanish', 'swedish', 'turkish',
]);

/** The language of a text index, `none` for plain words. */
export function textLanguage(index: IndexSpec): string {
  const language = index.options.default_language ?? 'english';
  if (!LANGUAGES.has(language)) throw invalidField('default_language', `${JSON.stringify(language)} is not known`);
  return language === 'simple' ? 'none' : language;
}
