import { withoutColours } from '../without-colours';
import type { PlantedFile } from './planted';

/** The planted files of which the lint's words do not name the rule. */
export function unreported(output: string, planted: readonly PlantedFile[]): PlantedFile[] {
  const lines = withoutColours(output).split('\n');
  return planted.filter(({ path, rule }) => !rulesNamedFor(path, lines).some((line) => line.trimEnd().endsWith(rule)));
}

/** What is said of a file: from the line that is its name to the next file, or to the sum at the end of the project. Messages have empty lines. */
function rulesNamedFor(path: string, lines: readonly string[]): string[] {
  const from = lines.findIndex((line) => line.trim().endsWith(path));
  if (from < 0) return [];
  const rest = lines.slice(from + 1);
  const end = rest.findIndex((line) => /^(\/|[A-Z]:\\|✖)/.test(line));
  return end < 0 ? rest : rest.slice(0, end);
}
