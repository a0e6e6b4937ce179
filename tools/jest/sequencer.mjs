import Sequencer from '@jest/test-sequencer';

/** What starts the platform whole, then what runs a service's specs again on an engine. */
const LONG = [/\/tools\/platform\/test\//, /-on-[a-z]+(-\d)?\.engines\.ts$/];

const rankOf = ({ path }) => {
  const rank = LONG.findIndex((pattern) => pattern.test(path));
  return rank === -1 ? LONG.length : rank;
};

/** The long ones first: a minute of one of them at the end is a minute in which the other core has nothing to do. A fresh clone has no times to go by, and their size says little of them. */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).sort((one, other) => rankOf(one) - rankOf(other));
  }
}
