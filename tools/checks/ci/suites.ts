/** A run of Jest that has to hold, as npm is asked for it. */
export interface Suite {
  readonly args: readonly string[];
  /** A file that fails is run once more, alone: what holds then is told as unsteady. */
  readonly hasSecondTry: boolean;
}

/** On one machine's stores. It has no second try: what is unsteady here is mended first. */
export const CORE_SUITES: readonly Suite[] = [{ args: ['test'], hasSecondTry: false }];

/** Minutes each: whole platforms, real engines, real browsers, judges that others wrote, containers. The short ones first: on a slow machine there may be no time left for the last. */
export const LONG_SUITES: readonly Suite[] = ['browser', 'oidc', 'newcomer', 'hostile', 'judges', 'delivery', 'engines', 'scale', 'containers'].map((name) => ({ args: ['run', `test:${name}`], hasSecondTry: true }));

export const commandOf = ({ args }: Pick<Suite, 'args'>) => `npm ${args.join(' ')}`;
