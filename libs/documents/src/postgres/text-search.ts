import type { IndexSpec } from '../document-store';
import { parsePath } from '../filter/path';
import { textLanguage } from '../indexes/text-languages';
import type { Statement } from './statement';

/** PostgreSQL's configurations have MongoDB's names but for one. */
function textConfiguration(index: IndexSpec): string {
  const language = textLanguage(index);
  return language === 'none' ? 'simple' : language;
}

/** The words under all paths of the index. The same text makes the index and asks it, or it would not be used. */
export function textVector(index: IndexSpec, document: string, literal: (value: string) => string): string {
  return Object.keys(index.key)
    .map((key) => {
      const path = `$${parsePath(key, 'key').map((step) => `.${JSON.stringify(step)}`).join('')}`;
      return `jsonb_to_tsvector(${literal(textConfiguration(index))}::regconfig, jsonb_path_query_array(${document}, ${literal(path)}::jsonpath), '["string"]')`;
    })
    .join(' || ');
}

/** MongoDB's search text: any of the words; all of the "phrases"; none of the -words. */
export function textMatch(statement: Statement, index: IndexSpec, document: string, search: string): string {
  const { words, phrases, excluded } = parseSearch(search);
  const configuration = textConfiguration(index);
  const query = (maker: string, text: string) => `${maker}(${statement.bind(configuration)}::regconfig, ${statement.bind(text)})`;
  const wanted = phrases.length > 0 ? phrases.map((text) => query('phraseto_tsquery', text)).join(' && ') : words.map((text) => query('plainto_tsquery', text)).join(' || ');
  if (wanted === '') return 'false';
  const vector = textVector(index, document, (value) => statement.bind(value));
  const unwanted = excluded.map((text) => ` && !! ${query('plainto_tsquery', text)}`).join('');
  return `((${vector}) @@ ((${wanted})${unwanted}))`;
}

function parseSearch(search: string): { words: string[]; phrases: string[]; excluded: string[] } {
  const phrases = [...search.matchAll(/"([^"]*)"/g)].map((match) => match[1] as string).filter((text) => text.trim() !== '');
  const words = search.replace(/"[^"]*"?/g, ' ').split(/\s+/).filter((word) => word !== '' && word !== '-');
  return { phrases, words: words.filter((word) => !word.startsWith('-')), excluded: words.filter((word) => word.startsWith('-')).map((word) => word.slice(1)) };
}
