/** What a thread says when its engine stands and the script begins: from then on its time counts. */
export const BEGUN = 'begun';
