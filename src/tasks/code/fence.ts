/** The program in an answer. */

export interface Fenced {
  code: string;
  /** The word behind the opening fence, in lower case; empty where there is none. */
  tag: string;
}

const OPENING = /^[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^\s`{}]*)[^`\n]*$/;

/** The last fenced block of an answer that is not blank; one that is never closed goes to the end. Null where there is none. */
export function lastFenced(answer: string): Fenced | null {
  let last: Fenced | null = null;
  let open: { fence: string; tag: string; lines: string[] } | null = null;
  const keep = (): void => {
    const code = open?.lines.join('\n') ?? '';
    if (open && code.trim() !== '') last = { code, tag: open.tag };
    open = null;
  };
  for (const line of answer.split(/\r\n?|\n/)) {
    if (open) {
      const trimmed = line.trim();
      const closes = trimmed.startsWith(open.fence) && trimmed.replaceAll(open.fence.charAt(0), '') === '';
      if (closes) keep();
      else open.lines.push(line);
    } else {
      const [, fence, tag = ''] = OPENING.exec(line) ?? [];
      if (fence !== undefined) open = { fence, tag: tag.toLowerCase(), lines: [] };
    }
  }
  keep();
  return last;
}
