import { defineService } from '@twinyard/service-kit';
import { AppModule } from './app.module';
import { filesvcSettings } from './config';
import { takeMultipartUnparsed } from './uploads/multipart';

const description = `Stores files and folders in namespaces, and numbered versions of each file.

What the service decides where the specification is silent:

- A name is kept in Unicode normal form C: 1 to 255 bytes, no \`/\`, \`\\\`, control characters, nor \`.\` and \`..\`. Names are compared exactly, letter case included.
- \`_namespaces\` of what lies in a folder are among those of the folder.
- The \`_name\` query of an upload names its first part; further parts have their own names. Parts under other names than \`file\` are ignored.
- An upload that becomes a new version replaces the tags of the file when it brings \`_tags\`.
- DELETE of many passes over ids that the caller cannot see; one that may be read and not deleted refuses them all (403).
- A change of a folder's \`_namespaces\` holds for everything in it.
- A version also says \`_contentType\`, \`_contentEncoding\` and \`_sha256\`.
- Previews are not made yet: \`previewurl\` answers 404. Resumable upload is not there yet: 400.`;

export const service = defineService({
  name: 'filesvc',
  settings: filesvcSettings,
  openApi: { title: 'Files', description },
  module: (settings) => AppModule.register(settings),
  configure: async (app) => takeMultipartUnparsed(app),
});
