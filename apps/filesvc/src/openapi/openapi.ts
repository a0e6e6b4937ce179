import type { OpenApiInfo } from '@twinyard/service-kit';
import { examples } from './examples';

const description = `Stores files and folders in namespaces, and numbered versions of each file.

Good to know:

- A name is kept in Unicode normal form C: 1 to 255 bytes, no \`/\`, \`\\\`, control characters, characters that turn the direction of writing, nor \`.\` and \`..\`. Names are compared exactly, letter case included.
- \`_namespaces\` of what lies in a folder are among those of the folder.
- The \`_name\` query of an upload names its first part; further parts have their own names. Parts under other names than \`file\` are ignored.
- An upload that becomes a new version replaces the tags of the file when it brings \`_tags\`, and its attributes when it brings \`_userAttributes\`.
- DELETE of many passes over ids that the caller cannot see; one that may be read and not deleted refuses them all (403).
- A change of a folder's \`_namespaces\` holds for everything in it.
- What the first bytes of a content say of it is told beside what was declared (\`_detectedContentType\`); what is active by either, or by its name, is served as attachment.
- Where the operator has uploads scanned, one in which something was found makes its file \`QUARANTINED\`: its bytes are not given out (403 \`quarantined\`), older versions are. While the scanner is away, uploads are answered 503; the last piece of an upload in pieces may be sent again, without bytes.
- Where the operator limits what a namespace may hold, versions and announced uploads of all its files count: beyond it 413 \`quota_exceeded\`, with \`_limit\`, \`_used\` and \`_requested\` in \`details\`.
- A version also says \`_contentType\`, \`_contentEncoding\` and \`_sha256\`.
- A version gets its preview soon after its upload: what it is tells its content, not its name. Images (JPEG, PNG, GIF, WebP, TIFF, AVIF) upright and with what is transparent on white, SVG without what it refers to, the first page of a PDF, the plan of an IFC model, the first lines of any text in a font with the letters of Western Europe. A picture changes the file's \`ETag\`.
- An upload in pieces takes its name at once: the file is there without a version, \`UPLOAD_PENDING\`, then \`UPLOADING\`; nobody is told of it by events before its first version is whole. The same content announced again for the same file is the same upload. A file that has a version keeps its status while another is uploaded.
- The process that holds an upload is believed for 15 s: after it died, the next one is refused (423) for so long.
- A \`content-encoding\` is served as stored to whoever takes it or says nothing (\`Accept-Encoding\`, with its weights), and decoded to others (gzip, deflate, br, and zstd on Node 22.15 or later): without a length, without ranges, under an \`ETag\` of its own. An encoding that nobody here can decode is always served as stored.
- A download may be kept by its receiver for as long as its address works, since a version never changes. Over a hundred ranges are ignored; those that overlap are joined.
- \`Upload-Checksum\` of a piece (sha1, sha256, sha512, md5): a piece that differs is dropped whole, 460.`;

export const openApi: OpenApiInfo = {
  title: 'Files',
  description,
  operationIds: { 'OPTIONS /filesvc/api/v1/files/{id}': 'getFileUploadCapabilities' },
  tags: [
    { name: 'files', description: 'Files and folders: uploads, names, places' },
    { name: 'file versions', description: 'The contents that a file has had, their addresses and pictures' },
    { name: 'content', description: 'What signed addresses lead to' },
  ],
  examples,
  // Addresses are made anew at each call.
  neverAnswered: { getFileUrl: [304], getFilePreviewUrl: [304], getFileVersionUrl: [304], getFileVersionPreviewUrl: [304] },
};
