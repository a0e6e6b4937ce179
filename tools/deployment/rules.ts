/** What has to hold of something, and what is said when it does not. */
export type Rules<T> = readonly (readonly [holds: (subject: T) => boolean, fault: string])[];

export const brokenRules = <T>(who: string, subject: T, rules: Rules<T>): string[] => rules.filter(([holds]) => !holds(subject)).map(([, fault]) => `${who}: ${fault}`);
