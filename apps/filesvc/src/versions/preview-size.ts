import { type FieldIssue, invalid, notFound, type QueryValues, textParameter } from '@twinyard/conventions';
import type { FileVersionEntity } from './file-version.entity';

/** Contract 3: 640×480, other sizes are 400. On the tip's route both may be missing. */
const SIZE = { width: 640, height: 480 } as const;

export function requirePreviewSize(query: QueryValues, presence: 'required' | 'optional'): void {
  const issues: FieldIssue[] = [];
  for (const side of ['width', 'height'] as const) {
    const text = textParameter(query, side);
    if (text === undefined && presence === 'optional') continue;
    if (text === undefined || Number(text) !== SIZE[side]) issues.push({ field: side, issue: `must be ${SIZE[side]}` });
  }
  if (issues.length > 0) throw invalid(issues.map(({ field, issue }) => `${field}: ${issue}`).join('; '), issues);
}

/** Until there is a preview: 404 (contract 3). */
export function noPreview(version: FileVersionEntity): never {
  throw notFound('preview of version', version.id);
}
