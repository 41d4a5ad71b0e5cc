/** Paths inside a repository: plain names joined by `/`, so that none leads out of it. */
const SEGMENT = /^(?!\.\.?$)[\w.-]+$/;

/** Returns the path. Throws a RangeError for one that is absolute, climbs, or holds anything but letters, digits, `_`, `.`, `-`. */
export function safePath(path: string): string {
  if (!path.split('/').every((segment) => SEGMENT.test(segment))) throw new RangeError(`${path} is no path inside a repository`);
  return path;
}
