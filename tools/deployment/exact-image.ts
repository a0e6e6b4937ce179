/** `dev` is what was built here; any other tag has a version. */
export const isExactImage = (image: string) => /:[\w.]*\d[\w.-]*$|:dev$/.test(image);
