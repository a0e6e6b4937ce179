/** `plan.ifc` → `plan.ifc.png` */
export const pictureName = (fileName: string, contentType: string) => `${fileName}.${contentType === 'image/jpeg' ? 'jpg' : 'png'}`;
