declare module 'content-disposition' {
  interface ContentDisposition {
    readonly type: string;
    readonly parameters: Readonly<Record<string, string>>;
  }
  interface Options {
    readonly type?: 'attachment' | 'inline';
    readonly fallback?: string | boolean;
  }
  interface Format {
    (filename?: string, options?: Options): string;
    parse(header: string): ContentDisposition;
  }
  const contentDisposition: Format;
  export const parse: Format['parse'];
  export default contentDisposition;
}
