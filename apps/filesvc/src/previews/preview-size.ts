import { type FieldIssue, invalidFields, type QueryValues, textParameter } from '@twinyard/conventions';
import { PICTURE } from '@twinyard/previews';

/** Contract 3: 640×480, other sizes are 400. On the tip's route both may be missing. */
export function requirePreviewSize(query: QueryValues, presence: 'required' | 'optional'): void {
  const issues: FieldIssue[] = [];
  for (const side of ['width', 'height'] as const) {
    const text = textParameter(query, side);
    if (text === undefined && presence === 'optional') continue;
    if (text === undefined || Number(text) !== PICTURE[side]) issues.push({ field: side, issue: `must be ${PICTURE[side]}` });
  }
  if (issues.length > 0) throw invalidFields(issues);
}
