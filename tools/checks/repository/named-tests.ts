import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFiles } from './repository';

/** `apps/itemsvc/test/x.http.spec.ts`, or the end of such a path; with `*` it names none in particular. */
const TEST = /[\w./*-]*\w\.(?:spec|contract|delivery|drill|engines|scale|scim|oidc|browser)\.ts\b/g;

/** Tests that documents name as a proof, and that are not there (any more). */
export function missingTests(root: string): string[] {
  const files = repositoryFiles(root);
  const documents = files.filter((path) => path.endsWith('.md'));
  return documents.flatMap((path) => {
    const named = new Set(readFileSync(join(root, path), 'utf8').match(TEST));
    return [...named].filter((test) => !test.includes('*') && !isThere(files, test)).map((test) => `${path}: names ${test}, which is not there`);
  });
}

/** From the middle of a path: whole names only. */
const isThere = (files: readonly string[], test: string) => files.some((file) => file === test || file.endsWith(test.startsWith('/') ? test : `/${test}`));
