/** Installs the judges from Python ahead of their suite. Ends with 1, and says why, when it cannot. */
import { pythonTools } from './python-tools';

const tools = pythonTools();
if ('missing' in tools) {
  process.stderr.write(`${tools.missing}\n`);
  process.exitCode = 1;
}
