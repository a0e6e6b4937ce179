import { type FieldIssue, invalid } from '@twinyard/conventions';
import { dottedPathsIn, dottedValues, isDottedPath } from './dotted-names';

/** What a request asks of related items. */
export interface AskedPaths {
  readonly query?: unknown;
  readonly sort?: Readonly<Record<string, unknown>>;
  /** Of distinct values. */
  readonly field?: string;
}

const ISSUE = 'is encrypted in this collection: it can be neither filtered nor sorted on';

/** Contract 2.3: what is encrypted can be neither filtered nor sorted on, nor are its values told from each other; every path is named. */
export function refuseEncryptedPaths({ query, sort = {}, field }: AskedPaths): void {
  const paths = [...dottedPathsIn(query), ...[...Object.keys(sort), ...(field === undefined ? [] : [field])].filter(isDottedPath)];
  if (paths.length === 0) return;
  const issues: FieldIssue[] = [...new Set(paths)].map((path) => ({ field: path, issue: ISSUE }));
  throw invalid(issues.map(({ field: path, issue }) => `${path} ${issue}`).join('; '), issues);
}

/** Distinct objects that hold something encrypted would be told apart by their ciphertexts. */
export function refuseEncryptedValues(field: string, values: readonly unknown[]): void {
  const [found] = values.flatMap((value) => dottedValues(value, field));
  if (found !== undefined) throw invalid(`${found.path} ${ISSUE}`, [{ field: found.path, issue: ISSUE }]);
}
