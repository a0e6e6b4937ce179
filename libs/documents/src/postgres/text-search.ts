import type { IndexSpec } from '../document-store';
import { parsePath } from '../filter/path';
import { textLanguage } from '../indexes/text-languages';
import { FEW_BYTES, TOO_MANY_WORDS } from './schema/index-functions';
import type { Statement } from './statement';

/** PostgreSQL's configurations have MongoDB's names but for one. */
function textConfiguration(index: IndexSpec): string {
  const language = textLanguage(index);
  return language === 'none' ? 'simple' : language;
}

/** The texts under all paths of the index, as one list. */
function textsOf(index: IndexSpec, document: string, literal: (value: string) => string): string {
  const lists = Object.keys(index.key).map((key) => {
    const path = `$${parsePath(key, 'key').map((step) => `.${JSON.stringify(step)}`).join('')}`;
    return `jsonb_path_query_array(${document}, ${literal(path)}::jsonpath)`;
  });
  return `(${lists.join(' || ')})`;
}

/** The words under all paths of the index. The same text makes the index and asks it, or it would not be used. */
export const textVector = (index: IndexSpec, document: string, literal: (value: string) => string): string =>
  `twinyard_words(${literal(textConfiguration(index))}::text, ${textsOf(index, document, literal)})`;

/**
 * MongoDB's search text: any of the words; all of the "phrases"; none of the -words. The index settles it, but for documents of so many bytes that
 * their words may be too many for it: their texts are looked at. `bytes`: SQL of what a document weighs.
 */
export function textMatch(statement: Statement, index: IndexSpec, { document, bytes }: { readonly document: string; readonly bytes: string }, search: string): string {
  const { words, phrases, excluded } = parseSearch(search);
  const configuration = textConfiguration(index);
  const isOfPhrases = phrases.length > 0;
  const query = (maker: string, text: string) => `${maker}(${statement.bind(configuration)}::regconfig, ${statement.bind(text)})`;
  const wanted = isOfPhrases ? phrases.map((text) => query('phraseto_tsquery', text)) : words.map((text) => query('plainto_tsquery', text));
  if (wanted.length === 0) return 'false';
  const unwanted = excluded.map((text) => query('plainto_tsquery', text));
  const literal = (value: string) => statement.bind(value);
  const whole = `((${wanted.join(isOfPhrases ? ' && ' : ' || ')})${unwanted.map((one) => ` && !! ${one}`).join('')})`;
  const list = (queries: readonly string[]) => `array[${queries.join(', ')}]::tsquery[]`;
  const looked = `twinyard_has_words(${literal(configuration)}::text, ${textsOf(index, document, literal)}, ${list(wanted)}, ${isOfPhrases}, ${list(unwanted)})`;
  return `(${textVector(index, document, literal)} @@ (${whole} || $sign$${TOO_MANY_WORDS}$sign$::tsquery) and (${bytes} < ${FEW_BYTES} or ${looked}))`;
}

function parseSearch(search: string): { words: string[]; phrases: string[]; excluded: string[] } {
  const phrases = [...search.matchAll(/"([^"]*)"/g)].map((match) => match[1] as string).filter((text) => text.trim() !== '');
  const words = search.replace(/"[^"]*"?/g, ' ').split(/\s+/).filter((word) => word !== '' && word !== '-');
  return { phrases, words: words.filter((word) => !word.startsWith('-')), excluded: words.filter((word) => word.startsWith('-')).map((word) => word.slice(1)) };
}
