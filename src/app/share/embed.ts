/** The line of HTML that shows the page, with what is shared, in another page. */

/** Workers of the page need its own origin; nothing else is allowed. */
export function embedSnippet(link: string, title: string): string {
  return `<iframe src="${escaped(link)}" title="${escaped(title)}" width="100%" height="800" loading="lazy" sandbox="allow-scripts allow-same-origin allow-downloads"></iframe>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
