import Sequencer from '@jest/test-sequencer';

/** Specs that start the platform whole. */
const isOfPlatform = ({ path }) => path.includes('/tools/platform/test/');

/** The long ones first: a minute of one of them at the end is a minute in which the other core has nothing to do. A fresh clone has no times to go by. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    return [...sorted.filter(isOfPlatform), ...sorted.filter((test) => !isOfPlatform(test))];
  }
}
