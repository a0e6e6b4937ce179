const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

/** What a program says to a terminal, without its colours. */
export const withoutColours = (text: string): string => text.replace(COLOURS, '');
