import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryFiles } from './repository';

/** `apps/itemsvc/test/x.http.spec.ts`, or the end of such a path; with `*` it names none in particular. */
const TEST = /[\w./*-]*\w\.(?:spec|contract|delivery|drill|engines|scale|scim|oidc|browser)\.ts\b/g;
/** Where the tests are that the rows behind it name without a path. */
const FOLDER = /^Tests are in `([^`]+)`/;
/** What a name without a path leaves out of the name of its file. */
const ENDING = /^(?:\.http)?(?:\.\w+)?\.ts$/;
/** A text that is the first of several arguments, as a title is. */
const TITLE = /\(\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)\s*,/g;
/** What a title leaves open: `${name}`, and `%s` for each row of a table. */
const LEFT_OPEN = /\$\{[^}]*\}|%[#a-z]/g;

/** What a row names as its proof; without a title, all of the file or folder. */
interface Proof {
  readonly file: string;
  readonly title?: string;
}

/** Tests that documents name as a proof, and that are not there (any more). */
export function missingTests(root: string): string[] {
  const files = repositoryFiles(root);
  return documentsOf(root, files).flatMap(({ path, text }) => {
    const named = new Set(text.match(TEST));
    return [...named].filter((test) => !test.includes('*') && !isThere(files, test)).map((test) => `${path}: names ${test}, which is not there`);
  });
}

/** Titles that documents name as a proof, and that no test of the named file has (any more). */
export function missingTitles(root: string): string[] {
  const files = repositoryFiles(root);
  return documentsOf(root, files).flatMap(({ path, text }) => {
    let folder = '';
    return text.split('\n').flatMap((line) => {
      folder = FOLDER.exec(line)?.[1] ?? folder;
      return proofsIn(line).flatMap(({ file, title }) => {
        const found = filesNamed(files, folder, file);
        if (found.length === 0) return [`${path}: names ${file}, which is not there`];
        if (title === undefined || found.some((test) => titlesOf(root, test).some((real) => patternOf(title).test(real)))) return [];
        return [`${path}: names "${title}", which is no title in ${file}`];
      });
    });
  });
}

const documentsOf = (root: string, files: readonly string[]) =>
  files.filter((path) => path.endsWith('.md')).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** From the middle of a path: whole names only. */
const endsAs = (file: string, name: string) => file === name || file.endsWith(name.startsWith('/') ? name : `/${name}`);
const isThere = (files: readonly string[], test: string) => files.some((file) => endsAs(file, test));

/** In the last cell of a row: `file › title; another title in it; src/other.spec.ts › title (8); whole-file (all)`. */
function proofsIn(line: string): Proof[] {
  const cell = line.startsWith('|') ? (line.split('|').at(-2) ?? '') : '';
  let file: string | undefined;
  return cell.trim().split('; ').flatMap((part): Proof[] => {
    const whole = /^(\S+) \((?:all|specs)\)/.exec(part)?.[1];
    if (whole !== undefined) return [{ file: whole }];
    const [, named, title = part] = /^(\S+) › (.+)$/.exec(part) ?? [];
    file = named ?? file;
    const isPathOrCommand = /^`|\.ts( \(|$)/.test(title);
    return file === undefined || isPathOrCommand ? [] : [{ file, title }];
  });
}

/** By a path or its end; by the beginning of its name in the folder; those of a folder. */
function filesNamed(files: readonly string[], folder: string, name: string): string[] {
  if (name.endsWith('.ts')) {
    const near = files.filter((file) => file === name || file === `${dirname(folder)}/${name}`);
    return near.length > 0 ? near : files.filter((file) => endsAs(file, name));
  }
  const begun = `${folder}/${name}`;
  return files.filter((file) => file.startsWith(`${name}/`) || (file.startsWith(begun) && ENDING.test(file.slice(begun.length))));
}

const titlesOf = (root: string, file: string) =>
  [...readFileSync(join(root, file), 'utf8').matchAll(TITLE)].map(([, title = '']) => title.slice(1, -1).replace(/\\(.)/g, '$1').replace(LEFT_OPEN, '…'));

/** A document may leave out the end of a title, and by `…` what the title leaves open or what is long; a remark in brackets is its own. */
function patternOf(title: string): RegExp {
  const constant = title.replace(/ \([^()]*\)$/, '').split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${constant.join('.*')}(?!\\w)`, 's');
}
