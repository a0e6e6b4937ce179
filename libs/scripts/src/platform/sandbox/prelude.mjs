// What a script of the platform is given: runs in the sandbox, before the script, whose arguments it makes of the input and of what the host says.
// It makes calls easy to write. What they may do the host judges: a script can change everything that this stands on.
import { contextOf } from './context.mjs';
import { datesOf } from './dates.mjs';
import { platformOf } from './platform.mjs';
import { csvOf, xlsxOf } from './tables.mjs';

export default (ask, whenAborted, [input, facts]) => [
  input,
  Object.freeze({ platform: platformOf(ask, facts), dates: datesOf(ask), csv: csvOf(ask), xlsx: xlsxOf(ask) }),
  contextOf(ask, whenAborted, facts),
];
