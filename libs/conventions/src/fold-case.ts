/** Dotted and dotless i, whose other case is a letter with another meaning: simple folding leaves them as they are (CaseFolding.txt, status T). */
const ALONE = new Set(['\u0130', '\u0131']);

/** Unicode's simple case folding (CaseFolding.txt, status C and S): two texts that differ by case alone become one, letter by letter. */
export const foldCase = (text: string): string => Array.from(text, foldLetter).join('');

function foldLetter(letter: string): string {
  if (ALONE.has(letter)) return letter;
  const upper = letter.toUpperCase();
  const folded = (isOne(upper) ? upper : letter).toLowerCase();
  return isOne(folded) ? folded : letter;
}

const isOne = (text: string) => [...text].length === 1;
