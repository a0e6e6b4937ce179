import { invalid } from '@twinyard/conventions';
import type { IndexSpec } from '../document-store';
import { parsePath } from '../filter/path';
import type { Statement } from './statement';

/** MongoDB's text languages by name and the configurations that PostgreSQL has for them. */
const CONFIGURATIONS: ReadonlyMap<string, string> = new Map([
  ['none', 'simple'], ['simple', 'simple'],
  ...['danish', 'dutch', 'english', 'finnish', 'french', 'german', 'hungarian', 'italian', 'norwegian', 'portuguese', 'romanian',
    'russian', 'spanish', 'swedish', 'turkish'].map((name): [string, string] => [name, name]),
]);

export function textConfiguration(index: IndexSpec): string {
  const language = index.options.default_language ?? 'english';
  const configuration = CONFIGURATIONS.get(language);
  if (configuration === undefined) throw invalid(`default_language: ${JSON.stringify(language)} is not known`);
  return configuration;
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
