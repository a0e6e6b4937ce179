// `node dist/apps/itemsvc/src/data-keys.js rotate|reseal`, with the settings of itemsvc; see USAGE.
import { endWith, loadSettings, printLine } from '@twinyard/service-kit';
import { environment, itemSettings } from './config';
import { withDataKeyTools } from './encryption/command-stores';
import { runDataKeysCommand, USAGE } from './encryption/data-keys-command';

endWith(() => withDataKeyTools(loadSettings(itemSettings, environment), (tools) => runDataKeysCommand(process.argv.slice(2), tools, printLine)), { usage: USAGE });
