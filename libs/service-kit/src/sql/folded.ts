/** SQL of a text without regard to case: Unicode's simple case folding (`foldCase`), whatever the locale of the database; compared byte by byte. */
export const folded = (text: string): string => `(casefold((${text}) COLLATE pg_c_utf8) COLLATE "C")`;
