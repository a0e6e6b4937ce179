/** Manifests with one thing changed, in the document of this kind and name (`NetworkPolicy/names`; a hash behind the name is passed over). */
export function brokenDocument(manifests: string, document: string, what: string | RegExp, by: string): string {
  const [kind = '', name = ''] = document.split('/');
  const documents = manifests.split(/^---\n/m);
  const isMeant = (text: string) => text.includes(`kind: ${kind}\n`) && new RegExp(`^  name: ${name}(-[a-z0-9]{10})?$`, 'm').test(text);
  const changed = documents.map((text) => (isMeant(text) ? text.replace(what, by) : text));
  if (changed.join() === documents.join()) throw new Error(`nothing to break: ${document} ${what}`);
  return changed.filter((text) => text.trim() !== '').join('---\n');
}
