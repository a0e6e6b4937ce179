/** A block of a page that is typed into a shell, and what the page shows as its answer. */
export interface Block {
  readonly commands: string;
  /** Read as JSON; `undefined` where the page shows none. */
  readonly answer?: unknown;
}

const FENCED = /^```(\w+)\n([\s\S]*?)^```$/gm;

/** The blocks of `bash` of a Markdown page, in order, each with the block of `json` that follows it. */
export function blocksOf(markdown: string): Block[] {
  const fenced = [...markdown.matchAll(FENCED)].map(([, language = '', text = '']) => ({ language, text }));
  return fenced.flatMap(({ language, text }, at) => {
    if (language !== 'bash') return [];
    const next = fenced[at + 1];
    return [{ commands: text, ...(next?.language === 'json' && { answer: JSON.parse(next.text) as unknown }) }];
  });
}
