import { readFile } from 'node:fs/promises';
import { PDFiumLibrary } from '@hyzyla/pdfium';

/** Node has it; the types of Node leave it to those of the browser. */
declare const WebAssembly: { compile(bytes: Uint8Array): Promise<object>; readonly Instance: new (module: object, imports: object) => { readonly exports: object } };

let compiled: Promise<object> | undefined;

/** An engine of its own for each document, of a module that is compiled once: what a broken document does to it, no other meets. */
export async function newPdfEngine(): ReturnType<typeof PDFiumLibrary.init> {
  compiled ??= readFile(require.resolve('@hyzyla/pdfium/pdfium.wasm')).then((bytes) => WebAssembly.compile(bytes));
  const module = await compiled;
  return PDFiumLibrary.init({
    instantiateWasm: (imports, done) => {
      const instance = new WebAssembly.Instance(module, imports);
      // It is declared to take a module, and takes an instance.
      done(instance as never);
      return instance.exports;
    },
  });
}
