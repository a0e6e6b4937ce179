const BEGIN = '<!-- settings: written by `npm run generate` -->';
const END = '<!-- /settings -->';

/** The page with these tables between its marks. */
export function withTables(page: string, tables: string): string {
  const [before = '', rest = ''] = page.split(BEGIN);
  const [, after] = rest.split(END);
  if (after === undefined) throw new Error(`docs/operations/settings.md has lost its marks ${BEGIN} and ${END}`);
  return `${before}${BEGIN}\n${tables}\n${END}${after}`;
}
