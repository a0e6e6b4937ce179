import { prefixedParameters, type QueryValues, repeatedParameter, textParameter } from '@twinyard/conventions';

/** The filters that lists of organizations, applications, workspaces and groups share. */
export interface RecordFilter {
  readonly ids?: readonly string[];
  readonly names?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly userTypes?: readonly string[];
  /** Wildcard search on name, short name and description. */
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

export function parseRecordFilter(query: QueryValues): RecordFilter {
  const ids = repeatedParameter(query, '_id');
  const names = repeatedParameter(query, '_name');
  const shortNames = repeatedParameter(query, '_shortName');
  const userTypes = repeatedParameter(query, '_userType');
  const text = textParameter(query, 'query');
  return {
    ...(ids && { ids }),
    ...(names && { names }),
    ...(shortNames && { shortNames }),
    ...(userTypes && { userTypes }),
    ...(text !== undefined && text !== '' && { text }),
    attributes: prefixedParameters(query, '_userAttributes.'),
  };
}

/** Contract 0.1: `query` is a case-insensitive substring, `*` any run. The answer is a pattern for ILIKE. */
export const toLikePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&').replace(/\*/g, '%')}%`;
