/** Drawings as trees of plain data: the page renders them, and files get the same as text. */

export interface SvgNode {
  tag: 'svg' | 'g' | 'path' | 'line' | 'text' | 'rect' | 'circle' | 'title';
  attributes: Record<string, string | number>;
  children: readonly (SvgNode | string)[];
}

export function node(tag: SvgNode['tag'], attributes: SvgNode['attributes'], ...children: readonly (SvgNode | string)[]): SvgNode {
  return { tag, attributes, children };
}

/** As a file of its own, or inside a page. */
export function svgText(tree: SvgNode): string {
  const { tag, attributes, children } = tree;
  const all = tag === 'svg' ? { xmlns: 'http://www.w3.org/2000/svg', ...attributes } : attributes;
  const written = Object.entries(all).map(([name, value]) => ` ${name}="${escapeText(String(value))}"`).join('');
  return `<${tag}${written}>${children.map((child) => (typeof child === 'string' ? escapeText(child) : svgText(child))).join('')}</${tag}>`;
}

/** Text for HTML and XML, also within quotes; characters that XML cannot hold are left out. */
export function escapeText(text: string): string {
  return Array.from(text, (one) => (isControl(one) ? '' : one))
    .join('')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function isControl(character: string): boolean {
  const code = character.charCodeAt(0);
  return code < 32 && code !== 9 && code !== 10 && code !== 13;
}
